#include "tactus/methods/gcaps/fast/responses_in_order.hpp"

namespace tactus::gcaps {

/// From so many tasks on, what they have in common is worth keeping for all of them.
constexpr std::size_t kWorthSharing = 32;

ResponsesInOrder::ResponsesInOrder(const TaskSet& set, GcapsTest& test, Memory& memory)
    : set_(set), test_(test), gpu_level_(memory.gpu_level), quick_(set, test, memory.quick) {
  if (set.real_time >= kWorthSharing && test.only_grows()) shared_.emplace(set, test, gpu_level_);
}

FixedPoint ResponsesInOrder::operator()(std::size_t i, std::span<const Time> responses) {
  if (shared_) {
    const auto found = shared_->response_of(i, responses);
    return found ? *found : slow(i, responses);
  }
  if (i > 0) quick_.set_response(i - 1, responses[i - 1]);
  QuickTest::State state = quick_.begin(i, gpu_level_, Time());
  quick_.add_remote(i, gpu_level_, GcapsTest::Levels::kFinal, state);
  const GpuTask& task = set_.tasks[i];
  const FixedPoint found = quick_.search(state, task.limit());
  if (found.outcome == FixedPoint::Outcome::kLimit) return slow(i, responses);
  return bound_from(task, found).response;
}

}  // namespace tactus::gcaps
