#include "tactus/cli/run_watch.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "tactus/cli/output.hpp"
#include "tactus/report/run.hpp"

namespace tactus::cli {

void RunWatch::look(const System& system, const Verdict& of, const trace::Observed& so_far) {
  if (progress_) progress_(line(so_far));
  if (!work_.report_asked()) return;
  if (writer_.joinable()) writer_.join();  // the report before
  trace::Observed copy = so_far;
  copy.method = of.method;
  copy.variant = of.variant;
  writer_ = std::jthread([system, copy = std::move(copy)] {  // both may end before it does
    static_cast<void>(emit(report::run_text(system, copy, report::Style::of(STDOUT_FILENO))));
  });
}

std::string RunWatch::line(const trace::Observed& so_far) const {
  std::uint64_t jobs = 0, misses = 0, over = 0;
  for (const trace::ObservedTask& task : so_far.tasks) {
    jobs += task.jobs();
    misses += task.misses;
  }
  for (const trace::ObservedNode& node : so_far.nodes) over += node.over;
  return fmt::format("{:.1f} s, {} jobs, {} misses, {} longer than a bound",
                     static_cast<double>(so_far.end.ns()) / 1e9, jobs, misses, over);
}

}  // namespace tactus::cli
