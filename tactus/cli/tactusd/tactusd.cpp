// tactusd: the arbiter as a program. Reads arguments and serves; the rest is tactus/arbiter.
#include <fmt/core.h>
#include <signal.h>

#include "tactus/arbiter/admit/desk.hpp"
#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/arbiter/daemon/isolation.hpp"
#include "tactus/arbiter/daemon/metrics_port.hpp"
#include "tactus/arbiter/socket_path.hpp"
#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/base/printable.hpp"
#include "tactus/cli/command_line.hpp"
#include "tactus/cli/man_page.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/start.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/reader.hpp"

namespace {

using namespace tactus;
using namespace tactus::cli;

arbiter::daemon::Daemon* g_daemon = nullptr;

void stop_serving(int) { g_daemon->stop(); }
void reopen_log(int) { g_daemon->reopen_log(); }

struct Arguments {
  std::string socket, group, log, lease = "1000", update_timeout = "100", budget, spin,
                                  returning = "1000";
  std::string protocol = "gcaps", rule = "priority", on_overstay = "report", poll, slice, waived,
              metrics;
  std::vector<std::string> allow, reserve_limit;
  std::string admit, notice = "0.2", state;
  bool trust = false;
  std::optional<int> cpu;
  int realtime = 0, patience = arbiter::daemon::DaemonOptions{}.patience_percent;
  std::size_t most_clients = arbiter::daemon::Limits{}.clients,
              most_per_user = arbiter::daemon::Limits{}.per_user;
  std::uint64_t log_limit = arbiter::daemon::EventLog::kMostBytes >> 20;
  bool fast_path = true;
  std::string man_pages;
};

void describe(Arguments& arguments, Fields& is) {
  is("socket", arguments.socket,
     "Where to listen (default: $TACTUS_SOCKET, or tactus/tactus.sock in $XDG_RUNTIME_DIR, or in "
     "/run for root)")
      .shows("PATH");
  is("group", arguments.group, "Let members of this group connect, too").shows("GROUP");
  is("allow", arguments.allow,
     "USER:MIN-MAX or USER:best-effort; which priorities a user (or *) may ask for")
      .shows("RANGE");
  is("lease", arguments.lease,
     "A client that gets no message for this time, in ms, puts its work back")
      .decimal();
  is("update_timeout", arguments.update_timeout,
     "If a client does not make room within this time, in ms, the arbiter goes on without it")
      .decimal();
  is("returning", arguments.returning,
     "After another arbiter: clients that were inside a segment have so many ms to come back; "
     "until then every begin is told that it may not be alone")
      .decimal();
  is("patience", arguments.patience,
     "Share of the time, in percent, that others may spend waiting for one client; after that the "
     "arbiter waits for it only a twentieth of the update timeout")
      .range(1, 100);
  is("most_clients", arguments.most_clients,
     "Serve at most this many clients; a quarter is reserved for users that may be real-time")
      .range(1, 100'000);
  is("most_per_user", arguments.most_per_user, "At most this many clients per user")
      .range(1, 100'000);
  is("budget", arguments.budget, "Segments longer than this, in ms, overstay").decimal();
  is("on_overstay", arguments.on_overstay,
     "report: count and log it; demote: best effort for the rest of its segment; kill: its "
     "process, "
     "by SIGTERM and a lease later by SIGKILL")
      .one_of({"report", "demote", "kill"})
      .needs("budget");
  is("protocol", arguments.protocol,
     "gcaps: segments from begin to end; boost: batches of launches from submission to completion, "
     "with preemption thresholds")
      .one_of({"gcaps", "boost"});
  is("poll", arguments.poll,
     "Under boost: look every so many ms whether the running segment is complete (default: 0.05; "
     "with --spin without a pause)")
      .decimal();
  is("slice", arguments.slice,
     "Under boost: how long, in ms, a best-effort program without segments has the GPU before the "
     "next one (default: 100)")
      .decimal();
  is("admit", arguments.admit,
     "Under boost: let programs reserve GPU time. The system file has the platform, its costs, and "
     "tasks that are always there; whoever has no reservation is best effort")
      .shows("FILE");
  is("notice", arguments.notice,
     "With --admit: from the moment a reservation is broken to the decision, at most, in ms")
      .decimal()
      .needs("admit");
  is("reserve_limit", arguments.reserve_limit,
     "USER:SHARE%; how much of the GPU a user (or *) may reserve")
      .shows("SHARE")
      .needs("admit");
  is("trust", arguments.trust,
     "With --admit: reservations may share a core, where their processes get fixed priorities "
     "below "
     "--realtime; nobody holds them to their CPU time, and each answer says whom it trusts")
      .needs("admit");
  is("state", arguments.state,
     "With --admit: where reservations are kept for the next arbiter (default: the socket's path "
     "and .reservations)")
      .shows("FILE")
      .needs("admit");
  is("rule", arguments.rule,
     "priority: preemptive priorities; fifo: one lock, first come first served")
      .one_of({"priority", "fifo"});
  is("fast_path", arguments.fast_path, "A process that is alone begins and ends by itself")
      .off("Decide every begin and end here, also those of a process that is alone");
  is("cpu", arguments.cpu, "Run on this CPU, and ask control threads to do so").range(0);
  is("spin", arguments.spin,
     "After each event poll for the next one for this long, in ms, before going to sleep: faster "
     "answers, but a busy CPU")
      .decimal()
      .needs("cpu");
  is("realtime", arguments.realtime, "Run as SCHED_FIFO with this priority").range(1, 99);
  is("log", arguments.log,
     "Append what happens, one JSON object per line; SIGHUP opens the file again")
      .shows("FILE");
  is("log_limit", arguments.log_limit,
     "Before the log would be larger than so many MiB, it is moved to FILE.1")
      .range(1, 1'000'000);
  is("metrics", arguments.metrics,
     "Answer GET /metrics at this address of the machine itself, such as 127.0.0.1:9101 (default: "
     "nowhere)")
      .shows("ADDRESS");
  is("waived", arguments.waived,
     "Conditions of the proof that do not hold and were accepted (tactus deploy --accept); tactus "
     "top shows them")
      .shows("IDS");
  is("man_pages", arguments.man_pages, "Write the man page into man8 of this folder").hidden();
}

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
  } else if (!boost && !arguments.admit.empty()) {
    problem = "--admit is for --protocol boost";
  } else if (arguments.trust && arguments.realtime < 2) {
    problem = "--trust needs --realtime: programs that share a core have priorities below it";
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
  options.fast_path = arguments.fast_path;
  options.cpu = arguments.cpu;
  options.realtime = arguments.realtime;
  options.log = arguments.log;
  options.waived = printable_line(arguments.waived);
  return options;
}

/// "alice:30%"
std::optional<Error> add_share(std::string_view text, arbiter::admit::Allowance& allowance) {
  const std::size_t colon = text.rfind(':');
  const Error wrong{quote(text) + " is not USER:SHARE% (USER may be *)"};
  if (colon == std::string_view::npos || colon == 0 || !text.ends_with('%')) return wrong;
  const std::string_view share = text.substr(colon + 1, text.size() - colon - 2);
  const bool digits = !share.empty() && share.size() < 8 &&
                      share.find_first_not_of("0123456789.") == std::string_view::npos &&
                      share.front() != '.' && share.back() != '.' &&
                      std::count(share.begin(), share.end(), '.') <= 1;
  const auto value = digits ? parse_scaled(share, 1, Rounding::kDown) : std::nullopt;
  if (!value) return wrong;
  const std::string user(text.substr(0, colon));
  if (user == "*") {
    allowance.share_of_others = value->value;
    return std::nullopt;
  }
  const auto number = arbiter::daemon::find_user(user);
  if (!number) return Error{"there is no user " + quote(user)};
  allowance.share_thousandths[*number] = value->value;
  return std::nullopt;
}

/// Who decides about reservations. @return an exit code, where that cannot be
std::optional<int> open_office(const Arguments& arguments, const std::string& socket,
                               arbiter::daemon::Daemon& daemon) {
  if (arguments.admit.empty()) return std::nullopt;
  arbiter::admit::DeskOptions desk;
  const auto notice = milliseconds("--notice", arguments.notice);
  if (!notice) return kBadInput;
  desk.rules.notice = Time::from_ns(*notice);
  desk.rules.cores_shared = desk.rules.cpu_trusted = arguments.trust;
  desk.highest_cpu_priority = arguments.realtime - 1;
  for (const std::string& text : arguments.reserve_limit) {
    if (const auto problem = add_share(text, desk.allowance)) {
      complain("tactusd: --reserve-limit " + problem->message);
      return kBadInput;
    }
  }
  const auto read = load_system(arguments.admit);
  if (!read) {
    complain("tactusd: " + read.error().message);
    return kBadInput;
  }
  for (const Diagnostic& found : read->diagnostics) complain(to_string(found, arguments.admit));
  if (!read->system) return kBadInput;
  desk.state = arguments.state.empty() ? socket + ".reservations" : arguments.state;
  std::vector<std::string> told;
  auto office = arbiter::admit::Desk::open(*read->system, std::move(desk), told);
  for (const std::string& line : told) complain("tactusd: " + line);
  if (!office) {
    complain(fmt::format("tactusd: {}: {}", arguments.admit, office.error().message));
    return kBadInput;
  }
  if (const auto problem = daemon.admit(std::move(*office))) {
    complain("tactusd: " + problem->message);
    return kUnknown;
  }
  return std::nullopt;
}

int serve(const Arguments& arguments) {
  if (!arguments.metrics.empty() && !arbiter::daemon::MetricsPort::is_loopback(arguments.metrics)) {
    complain(
        "tactusd: --metrics must be an address of this machine itself with a port, such as "
        "127.0.0.1:9101: there is no password");
    return kBadInput;
  }
  auto options = options_from(arguments);
  if (!options) return kBadInput;
  struct sigaction action {};
  action.sa_handler = SIG_IGN;  // told by an error as well, and no reason to end
  for (int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
  const bool isolated = options->cpu || options->realtime > 0;
  const std::string socket = options->socket;
  const auto daemon = arbiter::daemon::Daemon::open(std::move(*options));
  if (!daemon) {
    complain("tactusd: " + daemon.error().message);
    return kUnknown;
  }
  if (const auto code = open_office(arguments, socket, **daemon)) return *code;
  std::unique_ptr<arbiter::daemon::MetricsPort> metrics;
  if (!arguments.metrics.empty()) {
    auto opened = arbiter::daemon::MetricsPort::open(arguments.metrics, socket);
    if (!opened) {
      complain("tactusd: --metrics: " + opened.error().message);
      return kUnknown;
    }
    metrics = std::move(*opened);
    complain(fmt::format("tactusd: metrics are at port {}", metrics->port()));
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
          *arguments.cpu,
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

// What escapes is a want of memory, which ends the program in one line by itself.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  start_well();
  CommandLine line(
      "tactusd", "tactusd: arbitrates the GPU between processes by priority.",
      "Runs in the foreground until SIGTERM or Ctrl-C; then all clients go on unarbitrated.\n"
      "Exit code 0: stopped; 2: bad usage; 3: cannot serve (another arbiter runs, no permission).\n"
      "Examples:\n"
      "  tactusd\n"
      "  tactusd --cpu 1 --realtime 90 --budget 50 --log arbiter.log\n"
      "  tactusd --cpu 1 --spin 20\n"
      "  tactusd --protocol boost --cpu 1 --realtime 90 --spin 20\n"
      "  tactusd --protocol boost --admit robot.system.json\n"
      "  tactusd --group gpu --allow alice:1-99 --allow '*:best-effort'\n"
      "Then:  tactus exec --priority 70 -- COMMAND      tactus top");
  Arguments arguments;
  Fields fields;
  describe(arguments, fields);
  add_options(line.parser(), fields);
  if (const auto done = line.take({argv + 1, argv + argc})) return *done;
  if (!arguments.man_pages.empty()) {
    return write_man_page(line.app(), "8", arguments.man_pages) ? kYes : kBadInput;
  }
  return serve(arguments);
}
