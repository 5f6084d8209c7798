#pragma once

#include <array>

#include "tests/fake_driver/fake_cuda.hpp"

namespace fake_cuda {

/// A "network" with every kind of node that can be moved: clears its sum, adds up its input in a
/// kernel and, in a child graph, twice more, and copies the sum to its output.
struct Network {
  std::array<std::uint64_t, 4> input = {1, 2, 3, 4};
  std::uint64_t sum = 77, output = 0;

  static void add(void** parameters, const FakeContext&) {
    auto* const sum = reinterpret_cast<std::uint64_t*>(*static_cast<std::uint64_t*>(parameters[0]));
    const auto* const input =
        reinterpret_cast<const std::uint64_t*>(*static_cast<std::uint64_t*>(parameters[1]));
    const std::uint64_t factor = *static_cast<std::uint64_t*>(parameters[2]);
    for (int i = 0; i < 4; ++i) *sum = *sum * factor + input[i];
  }
  FakeKernel kernel{"add", 3, add};
  FakeKernel fixed{"fixed", 3, add, false};

  std::vector<std::uint64_t> values(std::uint64_t factor) {
    return {reinterpret_cast<std::uint64_t>(&sum), reinterpret_cast<std::uint64_t>(&input), factor};
  }

  /// As it would be captured on the whole GPU.
  FakeGraph graph(bool with_fixed = false) {
    FakeGraph made;
    FakeContext* const whole = &state().whole;
    FakeNode* const copy = made.add_copy(&output, &sum, sizeof sum);
    FakeNode* const child = made.add(NodeType::kChild);
    child->child = std::make_unique<FakeGraph>();
    FakeNode* const one = child->child->add_kernel(kernel, values(3), whole);
    FakeNode* const two = child->child->add_kernel(with_fixed ? fixed : kernel, values(5), whole);
    child->child->order(one, two);
    FakeNode* const first = made.add_kernel(kernel, values(2), whole);
    FakeNode* const clear = made.add_memset(&sum, 0, sizeof sum);
    made.order(clear, first);
    made.order(first, child);
    made.order(child, copy);
    return made;
  }

  /// The same work, enqueued on a stream.
  void enqueue(void* stream, bool with_fixed = false);
};

}  // namespace fake_cuda
