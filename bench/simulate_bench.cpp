#include <benchmark/benchmark.h>

#include "tactus/base/file.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"

/// How many decisions a second the engine makes under the policy behind a method, on one core.
namespace {

using namespace tactus;

void run_policy(benchmark::State& state, const std::string& file, const std::string& method,
                const std::string& scenario_text, bool audit) {
  auto text = read_text_file("examples/" + file + ".system.json");
  if (!text) return state.SkipWithError("run it in the root of the repository");
  const System system = *read_system(std::move(*text)).system;
  const Verdict verdict = analyze(*find_method(method), system);
  const simulate::MethodPolicy entry = *simulate::find_policy(method);
  const auto scenario = entry.admit(*trace::parse_scenario(scenario_text, 1));
  simulate::Until until;
  until.jobs = 2'000;
  until.audit = audit;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto policy = entry.make(system, verdict);
    events += simulate::run(system, **policy, scenario, until).events;
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

struct Case {
  const char *file, *method;
};
constexpr Case kCases[] = {
    {"robot", "gcaps.suspend"},    {"robot", "gcaps.busy"},       {"robot", "tsg-rr.suspend"},
    {"robot", "mpcp.suspend"},     {"robot", "fmlp.busy"},        {"dag-example", "dag.balanced"},
    {"dag-example", "dag.graham"}, {"gang-fig1", "gang.wc"},      {"gang-shares", "gang.swc"},
    {"pbs-figure1", "pbs.graph"},  {"rtgpu-perception", "rtgpu"},
};

const bool kRegistered = [] {
  for (const Case& one : kCases) {
    const std::string name = one.method;
    benchmark::RegisterBenchmark((name + "/worst").c_str(), run_policy, one.file, name, "worst",
                                 false);
    benchmark::RegisterBenchmark((name + "/random").c_str(), run_policy, one.file, name,
                                 "sporadic,uniform,shuffled,preemptive", false);
    benchmark::RegisterBenchmark((name + "/audited").c_str(), run_policy, one.file, name, "worst",
                                 true);
  }
  return true;
}();

}  // namespace
