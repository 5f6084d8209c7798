// tactusd: the arbiter as a program. Reads arguments and serves; the rest is tactus/arbiter.
#include <fmt/core.h>
#include <signal.h>

#include <CLI/CLI.hpp>

#include "include/tactus/tactus.h"
#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/arbiter/daemon/isolation.hpp"
#include "tactus/arbiter/socket_path.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/base/printable.hpp"
#include "tactus/cli/man_page.hpp"
#include "tactus/cli/mistakes.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/start.hpp"
#include "tactus/cli/verb.hpp"

namespace {

using namespace tactus;
using namespace tactus::cli;

arbiter::daemon::Daemon* g_daemon = nullptr;

void stop_serving(int) { g_daemon->stop(); }
void reopen_log(int) { g_daemon->reopen_log(); }

struct Arguments {
  std::string socket, group, log, lease = "1000", update_timeout = "100", budget, spin,
                                  returning = "1000";
  std::string protocol = "gcaps", rule = "priority", on_overstay = "report", poll, slice, waived;
  std::vector<std::string> allow;
  int cpu = -1, realtime = 0, patience = arbiter::daemon::DaemonOptions{}.patience_percent;
  std::size_t most_clients = arbiter::daemon::Limits{}.clients,
              most_per_user = arbiter::daemon::Limits{}.per_user;
  std::uint64_t log_limit = arbiter::daemon::EventLog::kMostBytes >> 20;
  bool no_fast_path = false;
};

/// Milliseconds as nanoseconds; nothing, with a complaint, if they are not a time > 0.
std::optional<std::int64_t> milliseconds(const char* option, const std::string& text) {
  const auto value = parse_scaled(text, 6, Rounding::kUp);
  if (value && value->value > 0 && value->value <= 1'000'000'000'000) return value->value;
  complain(fmt::format("tactusd: {} must be a time > 0 in ms, at most 1000000", option));
  return std::nullopt;
}

/// What only one of the two protocols has; nothing, with a complaint, where they are mixed.
bool fits_together(const Arguments& arguments) {
  const bool boost = arguments.protocol == "boost";
  const char* problem = nullptr;
  if (boost && arguments.rule == "fifo") {
    problem = "--rule fifo is a rule of --protocol gcaps; boost has one rule";
  } else if (boost && arguments.on_overstay == "demote") {
    problem =
        "--on-overstay demote cannot be: under boost a segment keeps its threshold to its end";
  } else if (!boost && (!arguments.poll.empty() || !arguments.slice.empty())) {
    problem = "--poll and --slice are for --protocol boost";
  }
  if (problem != nullptr) complain(fmt::format("tactusd: {}", problem));
  return problem == nullptr;
}

std::optional<arbiter::daemon::DaemonOptions> options_from(const Arguments& arguments) {
  arbiter::daemon::DaemonOptions options;
  if (!fits_together(arguments)) return std::nullopt;
  const auto lease = milliseconds("--lease", arguments.lease);
  const auto timeout = milliseconds("--update-timeout", arguments.update_timeout);
  const auto budget = arguments.budget.empty() ? std::optional<std::int64_t>(0)
                                               : milliseconds("--budget", arguments.budget);
  const auto spin = arguments.spin.empty() ? std::optional<std::int64_t>(0)
                                           : milliseconds("--spin", arguments.spin);
  const auto slice = arguments.slice.empty() ? std::optional(options.slice_ns)
                                             : milliseconds("--slice", arguments.slice);
  const auto poll = arguments.poll.empty() ? std::optional(options.poll_ns)
                                           : milliseconds("--poll", arguments.poll);
  const auto returning = milliseconds("--returning", arguments.returning);
  if (!lease || !timeout || !budget || !spin || !slice || !poll || !returning) return std::nullopt;
  options.returning_ns = *returning;
  options.log_bytes = arguments.log_limit << 20;
  if (arguments.protocol == "boost") options.protocol = arbiter::Protocol::kBoost;
  options.slice_ns = *slice;
  options.poll_ns = *poll;
  options.lease_ns = *lease;
  options.update_timeout_ns = *timeout;
  options.budget_ns = *budget;
  options.on_overstay = arguments.on_overstay == "kill"     ? arbiter::daemon::Overstay::kKill
                        : arguments.on_overstay == "demote" ? arbiter::daemon::Overstay::kDemote
                                                            : arbiter::daemon::Overstay::kReport;
  options.patience_percent = arguments.patience;
  options.limits = {arguments.most_clients, arguments.most_per_user};
  options.spin_ns = *spin;
  if (!arguments.group.empty()) {
    const auto group = arbiter::daemon::find_group(arguments.group);
    if (!group) {
      complain("tactusd: " + group.error().message);
      return std::nullopt;
    }
    options.group = *group;
  }
  for (const std::string& text : arguments.allow) {
    if (const auto problem = options.permissions.add(text)) {
      complain("tactusd: --allow " + problem->message);
      return std::nullopt;
    }
  }
  char path[200];
  options.socket = arguments.socket;
  if (options.socket.empty() && arbiter::default_socket_path(path, sizeof path))
    options.socket = path;
  options.rule =
      arguments.rule == "fifo" ? arbiter::daemon::Rule::kFifo : arbiter::daemon::Rule::kPriority;
  options.fast_path = !arguments.no_fast_path;
  if (arguments.cpu >= 0) options.cpu = arguments.cpu;
  options.realtime = arguments.realtime;
  options.log = arguments.log;
  options.waived = printable_line(arguments.waived);
  return options;
}

int serve(const Arguments& arguments) {
  auto options = options_from(arguments);
  if (!options) return kBadInput;
  struct sigaction action {};
  action.sa_handler = SIG_IGN;  // told by an error as well, and no reason to end
  for (int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
  const bool isolated = options->cpu || options->realtime > 0;
  const auto daemon = arbiter::daemon::Daemon::open(std::move(*options));
  if (!daemon) {
    complain("tactusd: " + daemon.error().message);
    return kUnknown;
  }
  g_daemon = daemon->get();
  action.sa_handler = stop_serving;
  for (int signal : {SIGTERM, SIGINT}) sigaction(signal, &action, nullptr);
  action.sa_handler = reopen_log;
  sigaction(SIGHUP, &action, nullptr);
  if (const auto problem = (*daemon)->prepare()) {
    complain("tactusd: " + problem->message);
    return kUnknown;
  }
  if (isolated) {
    const std::string why = (*daemon)->why_not_isolated();
    complain(why.empty() ? "tactusd: the assumption of safe-arbiter holds so far"
                         : "tactusd: the assumption of safe-arbiter does not hold: " + why);
    if (arguments.realtime > 0 && !arguments.spin.empty())
      complain(fmt::format(
          "tactusd: while it spins at a real-time priority no ordinary thread runs on CPU {}{}",
          arguments.cpu,
          arbiter::daemon::real_time_is_throttled()
              ? ", and the kernel takes it away for a part of each second "
                "(kernel.sched_rt_runtime_us)"
              : ""));
  }
  const auto problem = (*daemon)->run();
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_IGN);  // it is ending
  if (problem) complain("tactusd: " + problem->message);
  return problem ? kUnknown : kYes;
}

}  // namespace

// What escapes the `try` below is a want of memory, which ends the program in one line by itself.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  start_well();
  CLI::App app("tactusd: arbitrates the GPU between processes by priority.", "tactusd");
  Arguments arguments;
  app.set_version_flag("--version", fmt::format("tactusd {}", tactus_version()));
  app.add_option("--socket", arguments.socket,
                 "Where to listen (default: $TACTUS_SOCKET, or tactus/tactus.sock in "
                 "$XDG_RUNTIME_DIR, or in /run for root)")
      ->type_name("PATH");
  app.add_option("--group", arguments.group, "Let members of this group connect, too")
      ->type_name("GROUP");
  app.add_option("--allow", arguments.allow,
                 "USER:MIN-MAX or USER:best-effort; which priorities a user (or *) may ask for")
      ->type_name("RANGE");
  app.add_option("--lease", arguments.lease,
                 "A client that gets no message for this time, in ms, puts its work back")
      ->capture_default_str()
      ->check(decimal_number().validator());
  app.add_option(
         "--update-timeout", arguments.update_timeout,
         "If a client does not make room within this time, in ms, the arbiter goes on without it")
      ->capture_default_str()
      ->check(decimal_number().validator());
  app.add_option(
         "--returning", arguments.returning,
         "After another arbiter: clients that were inside a segment have so many ms to come "
         "back; until then every begin is told that it may not be alone")
      ->capture_default_str()
      ->check(decimal_number().validator());
  app.add_option("--patience", arguments.patience,
                 "Share of the time, in percent, that others may spend waiting for one client; "
                 "after that the arbiter waits for it only a twentieth of the update timeout")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  app.add_option(
         "--most-clients", arguments.most_clients,
         "Serve at most this many clients; a quarter is reserved for users that may be real-time")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  app.add_option("--most-per-user", arguments.most_per_user, "At most this many clients per user")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  auto* budget =
      app.add_option("--budget", arguments.budget, "Segments longer than this, in ms, overstay")
          ->check(decimal_number().validator());
  app.add_option("--on-overstay", arguments.on_overstay,
                 "report: count and log it; demote: best effort for the rest of its segment; kill: "
                 "its process, by SIGTERM and a lease later by SIGKILL")
      ->capture_default_str()
      ->check(CLI::IsMember({"report", "demote", "kill"}))
      ->needs(budget);
  app.add_option("--protocol", arguments.protocol,
                 "gcaps: segments from begin to end; boost: batches of launches from submission to "
                 "completion, with preemption thresholds")
      ->capture_default_str()
      ->check(CLI::IsMember({"gcaps", "boost"}));
  app.add_option("--poll", arguments.poll,
                 "Under boost: look every so many ms whether the running segment is complete "
                 "(default: 0.05; with --spin without a pause)")
      ->check(decimal_number().validator());
  app.add_option("--slice", arguments.slice,
                 "Under boost: how long, in ms, a best-effort program without segments has the GPU "
                 "before the next one (default: 100)")
      ->check(decimal_number().validator());
  app.add_option("--rule", arguments.rule,
                 "priority: preemptive priorities; fifo: one lock, first come first served")
      ->capture_default_str()
      ->check(CLI::IsMember({"priority", "fifo"}));
  app.add_flag("--no-fast-path", arguments.no_fast_path,
               "Decide every begin and end here, also those of a process that is alone");
  auto* cpu =
      app.add_option("--cpu", arguments.cpu, "Run on this CPU, and ask control threads to do so")
          ->check(whole_number(0).validator());
  app.add_option("--spin", arguments.spin,
                 "After each event poll for the next one for this long, in ms, before going to "
                 "sleep: faster answers, but a busy CPU")
      ->check(decimal_number().validator())
      ->needs(cpu);
  app.add_option("--realtime", arguments.realtime, "Run as SCHED_FIFO with this priority")
      ->check(CLI::Range(1, 99));
  app.add_option("--log", arguments.log,
                 "Append what happens, one JSON object per line; SIGHUP opens the file again")
      ->type_name("FILE");
  app.add_option("--log-limit", arguments.log_limit,
                 "Before the log would be larger than so many MiB, it is moved to FILE.1")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--waived", arguments.waived,
                 "Conditions of the proof that do not hold and were accepted (tactus deploy "
                 "--accept); tactus top shows them")
      ->type_name("IDS");
  app.footer(
      "Runs in the foreground until SIGTERM or Ctrl-C; then all clients go on unarbitrated.\n"
      "Exit code 0: stopped; 2: bad usage; 3: cannot serve (another arbiter runs, no permission).\n"
      "Examples:\n"
      "  tactusd\n"
      "  tactusd --cpu 1 --realtime 90 --budget 50 --log arbiter.log\n"
      "  tactusd --cpu 1 --spin 20\n"
      "  tactusd --protocol boost --cpu 1 --realtime 90 --spin 20\n"
      "  tactusd --group gpu --allow alice:1-99 --allow '*:best-effort'\n"
      "Then:  tactus exec --priority 70 -- COMMAND      tactus top");
  std::string man_pages;
  app.add_option("--man-pages", man_pages, "Write the man page into man8 of this folder")
      ->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    complain(usage_problem(app, error, std::vector<std::string>(argv + 1, argv + argc)));
    return kBadInput;
  }
  if (!man_pages.empty()) return write_man_page(app, "8", man_pages) ? kYes : kBadInput;
  return serve(arguments);
}
