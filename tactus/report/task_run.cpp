#include "tactus/report/task_run.hpp"

#include <fmt/core.h>

#include "tactus/arbiter/tasks/sharing.hpp"
#include "tactus/base/statistics.hpp"
#include "tactus/report/observed.hpp"

namespace tactus::report {
namespace {

/// The variant of the analyses that describes a run under the arbiter.
std::string_view variant_in_force(const trace::Observed& observed) {
  const Method* method = find_method(observed.method);
  if (method == nullptr) return "unknown";
  const auto sharing = arbiter::tasks::find_sharing(*method);
  return sharing ? sharing->variant : std::string_view("unknown");
}

std::string how(const trace::Observed& observed) {
  const trace::ObservedSharing& sharing = *observed.sharing;
  std::string text = fmt::format("mode {}", sharing.mode);
  if (!sharing.tier.empty()) text += fmt::format(" ({})", variant_in_force(observed));
  if (!sharing.tier.empty()) text += fmt::format(", tier {}", sharing.tier);
  return text + (sharing.wait == "busy" ? ", busy waiting" : ", suspending");
}

/// What an arbiter that opens gates did, and what of the GPU's time that took.
std::string operations_text(const System& system, const trace::Observed& observed) {
  const trace::ObservedOperations& seen = *observed.sharing->operations;
  const auto of = [&](const trace::ObservedOperation& kind) {
    if (kind.count == 0) return std::string("none");
    return fmt::format("{} (mean {}, max {})", kind.count,
                       measured_time(kind.mean, system.time_unit),
                       measured_time(kind.max, system.time_unit));
  };
  std::string text = fmt::format("preemptions {}; put back {}; starts {}", of(seen.off),
                                 of(seen.on), of(seen.start));
  if (observed.end > Time()) {
    const double share =
        static_cast<double>(seen.lost().ns()) / static_cast<double>(observed.end.ns());
    text += fmt::format("; switching took {:.1f} % of the time", 100 * share);
  }
  return text + "\n";
}

}  // namespace

std::string task_run_text(const System& system, const trace::Observed& observed,
                          const Style& style) {
  std::string out = fmt::format("{} on {}, {}, {} of work; bounds of {} ({})\n",
                                inked(system.name, Ink::kBold, style), observed.machine->name,
                                how(observed), format_time(observed.end, TimeUnit::kS) + " s",
                                observed.method, observed.variant);
  out += violations_text(system, observed, style);
  for (const std::string& failure : observed.failures)
    out += inked(failure + "\n", Ink::kRed, style);
  out += observed_tasks_text(system, observed, style);
  out += observed_chains_text(system, observed, style);
  for (const trace::ObservedTask& task : observed.tasks) {
    if (!task.process) continue;
    const Statistics begins = statistics_of(task.process->begins);
    if (begins.count == 0) continue;
    const auto text = [&](Time time) { return measured_time(time, system.time_unit); };
    out += fmt::format("{}: begin to exclusive {} times, median {}, p99 {}, max {}\n",
                       system.tasks[task.task].name, begins.count, text(begins.p50),
                       text(begins.p99), text(begins.max));
  }
  if (observed.sharing->operations) out += operations_text(system, observed);
  for (const std::string& note : observed.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace tactus::report
