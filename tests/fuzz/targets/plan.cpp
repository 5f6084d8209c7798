// Plan files: the first letter says for which system, and with it which family's reader and checker
// are fed.
#include <array>

#include "tactus/methods/plan_file.hpp"
#include "tactus/model/reader.hpp"
#include "tests/fuzz/targets/fuzz.hpp"
#include "tests/support/paths.hpp"

using namespace tactus;

namespace {

constexpr std::array kExamples = {
    "robot",     "gcaps-table4", "dag-example",      "gang-shares",
    "gang-fig1", "pbs-drone",    "rtgpu-perception", "rtgpu-spare-sms"};

System example(const char* name) {
  auto read = load_system(support::source_path(std::string("examples/") + name + ".system.json"));
  fuzz::demand(read && read->system, "the example can be read");
  return std::move(*read->system);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kSystems = [] {
    std::array<System, kExamples.size()> systems;
    for (std::size_t i = 0; i < systems.size(); ++i) systems[i] = example(kExamples[i]);
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
