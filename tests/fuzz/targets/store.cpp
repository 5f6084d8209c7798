// The SQLite file of a run, as `results` reads it.
#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/raw.hpp"
#include "tactus/experiment/store/runs.hpp"
#include "tests/fuzz/targets/file.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file("results.db");
  file.write(data, size);
  const auto results = experiment::read_results(file.path());
  if (!results) fuzz::demand_one_line(results.error().message);
  const auto history = experiment::read_history(file.path());
  if (!history) fuzz::demand_one_line(history.error().message);
  int most = 1000;
  const auto problem = experiment::for_each_verdict(
      file.path(), true, [&](const experiment::RawVerdict&) { return --most > 0; });
  if (problem) fuzz::demand_one_line(problem->message);
  return 0;
}
