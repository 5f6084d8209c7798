#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::arbiter::client {

/// Words in host memory that streams of the GPU wait for and write: the documented stream memory
/// operations of CUDA's driver library, which is looked up in the process. (No C++ library.)
///
///     StreamGate gate;
///     if (!gate.know(page, kPageSize)) ... gate.problem()
///     gate.wait(stream, &page->gate, 7);          // what comes behind waits until *gate >= 7
///     gate.write(stream, &page->marks[0], 7);     // when everything before it is complete
class StreamGate {
 public:
  using Stream = void*;  ///< CUstream; null is the legacy default stream

  /// Makes the memory known to the GPU of the calling thread's context. Once for each memory and
  /// context; known memory costs nothing.
  bool know(void* memory, std::size_t size);
  /// Not on a stream that is being captured: the graph would wait for this one value for ever.
  bool wait(Stream stream, const void* word, std::uint32_t value);
  bool write(Stream stream, const void* word, std::uint32_t value);
  /// Writes a word by a kernel, which begins behind the switch to its context; a stream's own write
  /// does not. False: the GPU does not take this kernel, and nothing was enqueued.
  bool write_by_kernel(Stream stream, const void* word, std::uint32_t value);
  bool synchronize(Stream stream);
  /// Why the last call was not possible; static text.
  const char* problem() const { return problem_; }

 private:
  using Code = int;
  using Address = unsigned long long;

  bool load();
  void load_kernel();
  bool succeeded(Code code, const char* doing);
  Address address_of(const void* word) const {
    return device_ + static_cast<Address>(static_cast<const char*>(word) - memory_);
  }

  Code (*current_context_)(void** context) = nullptr;
  Code (*host_register_)(void* memory, std::size_t size, unsigned flags) = nullptr;
  Code (*device_pointer_)(Address* device, void* memory, unsigned flags) = nullptr;
  Code (*wait_value_)(Stream stream, Address address, std::uint32_t value,
                      unsigned flags) = nullptr;
  Code (*write_value_)(Stream stream, Address address, std::uint32_t value,
                       unsigned flags) = nullptr;
  Code (*synchronize_)(Stream stream) = nullptr;
  Code (*is_capturing_)(Stream stream, int* status) = nullptr;
  Code (*module_load_)(void** module, const void* image) = nullptr;
  Code (*module_function_)(void** function, void* module, const char* name) = nullptr;
  Code (*launch_)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  Stream stream, void** parameters, void** extra) = nullptr;
  void* kernel_ = nullptr;  ///< of the context
  const char* memory_ = nullptr;
  const char* registered_ = nullptr;
  void* context_ = nullptr;
  Address device_ = 0;
  const char* problem_ = "";
};

}  // namespace tactus::arbiter::client
