#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tactus/runtime/driver/graph_api.hpp"

/// A CUDA driver with one GPU of 16 SMs that is not there: libcuda.so.1 for tests. Kernels are
/// functions of this program, device memory is memory of this program, and a launch runs at once.
/// What ran where is written down, and so is every context that a node was given.
namespace fake_cuda {

using namespace tactus::runtime::driver;

/// A context: these SMs.
struct FakeContext {
  int first = 0, count = 16;
};

/// A kernel whose parameters are all of 8 bytes.
struct FakeKernel {
  std::string name;
  std::size_t parameters = 0;
  std::function<void(void** parameters, const FakeContext& where)> body;
  bool movable = true;  ///< has a handle without a context (`kern`); else only `func`
};

struct FakeGraph;
struct FakeNode {
  NodeType type = NodeType::kEmpty;
  FakeGraph* graph = nullptr;
  KernelNode kernel;
  std::vector<std::uint64_t> values;  ///< of the kernel's parameters
  std::vector<void*> pointers;
  MemsetNode memset;
  CopyNode copy;
  std::unique_ptr<FakeGraph> child;
  FakeContext* context = nullptr;  ///< of a memset or a copy
};
struct FakeGraph {
  std::vector<std::unique_ptr<FakeNode>> nodes;
  std::vector<std::tuple<FakeNode*, FakeNode*, EdgeData>> edges;

  FakeNode* add(NodeType type);
  FakeNode* add_kernel(FakeKernel& kernel, const std::vector<std::uint64_t>& values,
                       FakeContext* context);
  FakeNode* add_memset(void* to, unsigned char value, std::size_t bytes);
  FakeNode* add_copy(void* to, const void* from, std::size_t bytes);
  void order(FakeNode* before, FakeNode* after);
};

struct FakeStream {
  FakeContext* context = nullptr;
  FakeGraph* captured = nullptr;
  FakeNode* last = nullptr;  ///< what the next one waits for, in a capture
};

/// What ran, in order.
struct Ran {
  NodeType type;
  std::string kernel;
  FakeContext where;
};

struct State {
  FakeContext whole;
  std::vector<Ran> ran;
  std::map<std::string, int> fails;     ///< functions that return this code
  std::size_t largest_copy = SIZE_MAX;  ///< bytes beyond are not copied, to save a test's time
  bool silent = false;                  ///< launches are taken and never run: a lost GPU
  std::size_t graphs = 0, executables = 0, streams = 0, partitions = 0;  ///< that exist
};
State& state();
/// For a test: everything as at the start. @pre nothing of the test before is left.
void reset();

}  // namespace fake_cuda
