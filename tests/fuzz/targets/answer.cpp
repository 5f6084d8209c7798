// The answer of a method that is not part of Tactus: whatever a command prints. Plans in it are those of
// the policy that the method shares.
#include "tactus/methods/method.hpp"
#include "tactus/methods/own/question.hpp"
#include "tests/fuzz/targets/example.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const System kRobot = fuzz::example("robot");
  static const Method* const kRunsAs = find_method("gang.wc");
  static own::Labels labels;
  const auto read = own::read_answer(fuzz::text_of(data, size), 1, kRobot, kRunsAs, labels);
  if (!read) {
    fuzz::demand_one_line(read.error().message);
    return 0;
  }
  const Verdict& verdict = *read;
  fuzz::demand(verdict.tasks.size() <= kRobot.tasks.size(), "an answer is about our tasks");
  fuzz::demand(verdict.plan == nullptr || verdict.status == Status::kSchedulable,
               "a plan comes with a system that is schedulable");
  return 0;
}
