// Plan files: the first letter says for which system, and with it which family's reader and checker
// are fed.
#include <array>

#include "tactus/methods/plan_file.hpp"
#include "tests/fuzz/targets/example.hpp"

using namespace tactus;

namespace {

constexpr std::array kExamples = {
    "robot",     "gcaps-table4", "dag-example",      "gang-shares",
    "gang-fig1", "pbs-drone",    "rtgpu-perception", "rtgpu-spare-sms"};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kSystems = [] {
    std::array<System, kExamples.size()> systems;
    for (std::size_t i = 0; i < systems.size(); ++i) systems[i] = fuzz::example(kExamples[i]);
    return systems;
  }();
  if (size == 0) return 0;
  const System& system = kSystems[static_cast<std::size_t>(data[0] - 'a') % kSystems.size()];
  const auto read = read_plan_file(fuzz::text_of(data + 1, size - 1), "plan", system);
  if (!read) {
    fuzz::demand_one_line(read.error().message);
    return 0;
  }
  for (const std::string& failure : read->failures) fuzz::demand_one_line(failure);
  fuzz::demand(read->plan.method != nullptr, "a plan that was read has a method");
  fuzz::demand(!read->failures.empty() || read->plan.verdict.plan != nullptr,
               "a plan in which nothing fails is there");
  return 0;
}
