// Experiment files.
#include "tactus/experiment/describe/experiment.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = experiment::read_experiment(fuzz::text_of(data, size));
  fuzz::demand_lines(read.diagnostics);
  fuzz::demand(read.experiment || !read.diagnostics.empty(), "who refuses a file says why");
  if (read.experiment) {
    fuzz::demand(!experiment::points_of(*read.experiment).empty(), "an experiment has points");
    fuzz::demand(!experiment::curves_of(*read.experiment).empty(), "an experiment has curves");
  }
  return 0;
}
