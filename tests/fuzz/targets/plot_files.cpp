// What `plot` and `analyze --baseline` read beside stores: recorded figures and documents of runs, the
// style of figures, and verdicts of an earlier day. The first letter says which.
#include "tactus/report/baseline.hpp"
#include "tactus/report/charts/figure_style.hpp"
#include "tactus/report/charts/recorded.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

namespace {

void read_figures(std::string text) {
  const report::ReadRecorded read = report::read_recorded(std::move(text));
  fuzz::demand_lines(read.diagnostics);
  if (!read.recorded) return fuzz::demand(!read.diagnostics.empty(), "there is a reason");
  for (const report::RecordedFigure& figure : read.recorded->figures) report::chart_of(figure);
}

void read_style(std::string text) {
  const report::ReadStyle read = report::read_style(std::move(text));
  fuzz::demand_lines(read.diagnostics);
  fuzz::demand(read.style || !read.diagnostics.empty(), "there is a style or a reason");
}

void read_baseline(std::string text) {
  const auto read = report::read_baseline(std::move(text), "earlier.json", TimeUnit::kUs);
  if (!read) fuzz::demand_one_line(to_string(read.error()));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text = fuzz::text_of(data + 1, size - 1);
  switch (data[0]) {
    case 'f':
      read_figures(std::move(text));
      break;
    case 's':
      read_style(std::move(text));
      break;
    case 'b':
      read_baseline(std::move(text));
      break;
    default:
      break;
  }
  return 0;
}
