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
    std::string name;  ///< compute, launches, L2, streaming, atomics, copies, or "copies ..."
    Graph graph = nullptr;
    bool of_copies = false;  ///< disturbs copies, and nothing else more than `copies` does
  };
  /// What disturbs copies beside "copies", which are of 16 MiB, pinned, one in each direction.
  enum class OfCopies { kNo, kYes };
  static Result<std::unique_ptr<Enemies>> make(const OpenGpu& gpu, OfCopies more = OfCopies::kNo);
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
  std::optional<Error> add_enemies_of_copies();
  /// Copies of one size from or to the host; in turn, or so many at a time.
  struct Copying {
    const char* name;
    bool to_device = true, to_host = false;
    std::size_t bytes = 0;
    int in_turn = 1, at_a_time = 1;
    bool pageable = false;
  };
  std::optional<Error> add(const Copying& copying);
  Result<GraphNode> add_copy(Graph graph, bool to_device, void* host, std::size_t bytes,
                             GraphNode after);
  bool can_run(Graph graph) const;
  Result<Graph> add_graph(const char* name);

  Driver driver_;
  Context context_;
  Library library_ = nullptr;
  Address memory_ = 0;
  void* host_ = nullptr;
  void* long_host_ = nullptr;  ///< pinned, as large as the longest copy
  std::vector<char> pageable_;
  std::vector<Enemy> all_;
};

}  // namespace tactus::runtime::driver
