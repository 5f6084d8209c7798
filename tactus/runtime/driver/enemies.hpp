#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/runtime/driver/open_gpu.hpp"

namespace tactus::runtime::driver {

/// Work that disturbs whatever runs on the other SMs, each kind as a graph of some milliseconds: a
/// partition isolates SMs, but not caches, memory and copy engines.
class Enemies {
 public:
  struct Enemy {
    std::string name;  ///< compute, launches, L2, streaming, atomics, copies
    Graph graph = nullptr;
  };
  static Result<std::unique_ptr<Enemies>> make(const OpenGpu& gpu);
  ~Enemies();
  Enemies(const Enemies&) = delete;
  Enemies& operator=(const Enemies&) = delete;

  const std::vector<Enemy>& all() const { return all_; }

 private:
  explicit Enemies(const OpenGpu& gpu) : driver_(gpu.driver), context_(gpu.context) {}
  std::optional<Error> prepare();
  std::optional<Error> add_kernels(const char* name, const char* kernel, int count, unsigned blocks,
                                   std::vector<void*> parameters);
  std::optional<Error> add_copies();
  Result<Graph> add_graph(const char* name);

  Driver driver_;
  Context context_;
  Library library_ = nullptr;
  Address memory_ = 0;
  void* host_ = nullptr;
  std::vector<Enemy> all_;
};

}  // namespace tactus::runtime::driver
