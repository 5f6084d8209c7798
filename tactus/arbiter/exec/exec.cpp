#include "tactus/arbiter/exec/exec.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/arbiter/client/observer.hpp"
#include "tactus/arbiter/exec/freezer.hpp"
#include "tactus/arbiter/exec/guardian.hpp"
#include "tactus/arbiter/exec/reservation.hpp"
#include "tactus/arbiter/preload/automatic.hpp"
#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/tiers/channel_check.hpp"
#include "tactus/arbiter/tiers/channel_notes.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/programs.hpp"

namespace tactus::arbiter::exec {
namespace {

using client::Connection;
using client::Outcome;
using client::ProcessTier;
using client::Waiting;

constexpr std::int32_t kCostSamples = 10;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr long kKillPauseNs = 20'000'000;  ///< between two looks at a command that has to end
constexpr long kUsualLookNs = 999'999'999;
constexpr long kSoonLookNs = 20'000'000;  ///< for this long after an arbiter has ended:
constexpr std::int64_t kSoonNs = 10'000'000'000;
constexpr std::int64_t kMostToStopNs = 100'000'000;  ///< before it is killed, again and again
constexpr int kMostToKill = 50;  ///< times; a process that the kernel holds is left to end later

/// Goes on as the command. @return when that is not possible: its exit code, as of a shell
int become(const std::vector<std::string>& command) {
  const int problem = host::become(command);
  fmt::print(stderr, "tactus: cannot run {}: {}\n", command[0], std::strerror(problem));
  return problem == ENOENT ? 127 : 126;
}

std::string shown(Urgency urgency) {
  if (!urgency.best_effort) return fmt::format("priority {}", urgency.priority);
  return urgency.share == 0 ? "best effort"
                            : fmt::format("best effort, at least {} %", urgency.share);
}

/// As `read_urgency` reads it.
std::string variable_of(Urgency urgency) {
  if (!urgency.best_effort) return std::to_string(urgency.priority);
  return urgency.share == 0 ? "best-effort" : fmt::format("best-effort:{}", urgency.share);
}

/// Why the arbiter would not promise this share; nothing where it would, or where there is none: then
/// nobody is held off.
std::optional<std::string> problem_of_share(const ExecOptions& options) {
  auto observer = client::Observer::open(options.socket);
  if (!observer) return std::nullopt;
  const auto seen = observer->look();
  if (!seen) return std::nullopt;
  if (seen->summary.rule != kRuleBoost)
    return "--share needs an arbiter for boost (tactusd --protocol boost); under this one all "
           "best-effort programs use the GPU at once";
  std::int64_t promised = 0;
  for (const Row& row : seen->clients) promised += row.share;
  const std::int64_t left = Urgency::kMostShare - promised;
  if (options.urgency.share <= left) return std::nullopt;
  return fmt::format(
      "the arbiter has promised {} % already, and promises {} % at most: {} % {} left", promised,
      Urgency::kMostShare, left, left == 1 ? "is" : "are");
}

/// For a gate that nobody hands over; longer than the helper takes (preload/segments_helper.cpp).
constexpr const char kAutomaticGateLimitMs[] = "20";

void set_automatic(const Automatic& automatic, Urgency urgency) {
  std::string terms = std::to_string(urgency.priority);
  if (automatic.threshold)
    terms += *automatic.threshold == Submit::kProtected ? " protected"
                                                        : fmt::format(" {}", *automatic.threshold);
  setenv(preload::automatic::kVariable, terms.c_str(), 1);
  unsetenv(preload::automatic::kWarmUpVariable);
  if (automatic.warm_up_ns > 0)
    setenv(preload::automatic::kWarmUpVariable,
           std::to_string((automatic.warm_up_ns + 999'999) / 1'000'000).c_str(), 1);
  setenv(kGateLimitVariable, kAutomaticGateLimitMs, 0);
}

/// Becomes the command, with the library in it.
Result<int> execute_preloaded(const ExecOptions& options) {
  if (access(options.preload.c_str(), R_OK) != 0)
    return Error{fmt::format(
        "the tier {} needs libtactus_preload.so beside tactus; it is not there", options.tier)};
  // For the loader both are separators; it would load nothing, with only a warning.
  if (options.preload.find_first_of(" :") != std::string::npos)
    return Error{
        fmt::format("the tier {} cannot be loaded from {}: LD_PRELOAD takes no path with "
                    "a space or a colon in it",
                    options.tier, options.preload)};
  if (options.tier == "channel") {
    tiers::SurveyOptions trial;
    trial.rounds = kCostSamples;
    trial.program = host::own_program();
    trial.preload = options.preload;
    const auto cost = tiers::check_channel_tier(trial, tiers::default_answer_folder());
    if (!cost) return cost.error();
    setenv(preload::kTierCostVariable, tiers::to_text(*cost).c_str(), 1);
  }
  if (options.tier == "timeslice") {
    const preload::Driver driver = preload::loaded_driver();
    if (!driver.supported)
      return Error{fmt::format("the tier timeslice does not work here: {}", driver.reason)};
    setenv(kTimeSliceVariable, std::to_string(options.time_slice_us).c_str(), 1);
    options.tell(fmt::format(
        "{} has GPU time slices of {} us and is never taken off the GPU: no proof covers it; "
        "let one such program run at a time",
        options.command[0], options.time_slice_us));
  }
  if (options.required) {
    Connection probe;
    probe.set_protocol(Protocol::kAny);
    if (!probe.open(options.socket.empty() ? nullptr : options.socket.c_str(), "exec"))
      return Error{probe.problem()};
  }
  bool own_segments = options.own_segments;
  if (options.wish) {
    const auto admitted = reserve(*options.wish, options.socket, options.tell);
    if (!admitted) return admitted.error();
    own_segments = *admitted;  // else it is best effort as a whole
    if (own_segments && !options.automatic)
      options.tell(fmt::format(
          "{} must mark its GPU segments, or have them cut (--auto): the arbiter does not "
          "see what it launches outside of them",
          options.command[0]));
  }
  const char* const others = getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", preload_list(options.preload, others != nullptr ? others : "").c_str(), 1);
  setenv(kTierVariable, options.tier.c_str(), 1);
  unsetenv(preload::automatic::kVariable);
  const bool is_cut = options.automatic && (own_segments || !options.wish);
  if (is_cut) set_automatic(*options.automatic, options.urgency);
  if (own_segments || is_cut || options.tier == "timeslice") {
    unsetenv(kPriorityVariable);
  } else {
    setenv(kPriorityVariable, variable_of(options.urgency).c_str(), 1);
  }
  if (!options.socket.empty()) setenv(kSocketVariable, options.socket.c_str(), 1);
  return become(options.command);
}

/// The command as a child, started but held before its first instruction.
class HeldCommand {
 public:
  static Result<HeldCommand> start(const ExecOptions& options, const sigset_t& mask) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
    auto child = host::Child::fork([&] {
      close(ends[1]);
      char byte = 0;
      ssize_t got = 0;
      while ((got = read(ends[0], &byte, 1)) < 0 && errno == EINTR) {
      }
      if (got != 1) return 126;  // the parent gave up
      if (options.children_ignored) signal(SIGCHLD, SIG_IGN);
      sigprocmask(SIG_SETMASK, &mask, nullptr);
      return become(options.command);
    });
    close(ends[0]);
    if (child) return HeldCommand(std::move(*child), ends[1]);
    close(ends[1]);
    return child.error();
  }
  ~HeldCommand() {
    if (release_ >= 0) close(release_);
  }
  HeldCommand(HeldCommand&& other) noexcept
      : child_(std::move(other.child_)), release_(std::exchange(other.release_, -1)) {}
  HeldCommand& operator=(HeldCommand&&) = delete;

  pid_t process() const { return child_.pid(); }
  void release() {
    while (write(release_, "x", 1) < 0 && errno == EINTR) {
    }
    close(std::exchange(release_, -1));  // where that failed, it ends instead of waiting for ever
  }
  /// Its exit code, when it has ended. What it has left behind and has fallen to us is reaped too.
  std::optional<int> ended() { return child_.ended_among_all(); }

 private:
  HeldCommand(host::Child child, int release) : child_(std::move(child)), release_(release) {}

  host::Child child_;
  int release_ = -1;
};

bool is_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// The command's segment, as long as there is an arbiter: of this one or of the next.
class Membership {
 public:
  Membership(const ExecOptions& options, const Tier& tier, const TierCost& cost)
      : options_(options), name_(options.command[0].substr(options.command[0].rfind('/') + 1)) {
    connection_.set_tier(tier, cost);
    connection_.set_protocol(Protocol::kAny);
    connection_.on_loss([] { kill(getpid(), SIGCHLD); });  // `attend` looks at once
  }

  const std::string& name() const { return name_; }
  /// Why it is not under an arbiter now; nothing when it is. @param forbidden it never can be
  std::optional<std::string> join(bool& forbidden) {
    alone_ = true;
    const char* const path = options_.socket.empty() ? nullptr : options_.socket.c_str();
    if (!connection_.find(path, name_.c_str())) return connection_.problem();
    const Outcome outcome = connection_.begin(options_.urgency, Waiting::kSuspend);
    forbidden = outcome == Outcome::kForbidden;
    if (forbidden) return fmt::format("the arbiter does not allow {}", shown(options_.urgency));
    if (outcome == Outcome::kUnarbitrated) return "the arbiter does not answer";
    alone_ = false;
    return std::nullopt;
  }
  /// Joins again when the arbiter has ended, and reports what happened.
  void keep() {
    if (left_) return;
    if (connection_.share_refused() && !std::exchange(told_of_share_, true))
      options_.tell(
          fmt::format("{} is best effort without its share: the arbiter allows its user "
                      "none, or has promised it to others",
                      name_));
    if (connection_.connected()) return;
    if (!alone_) {
      options_.tell(fmt::format("the arbiter is gone; {} runs without", name_));
      lost_ns_ = host::now_ns();
    }
    bool forbidden = false;
    const auto problem = join(forbidden);
    if (forbidden) leave();
    if (!problem || forbidden)
      options_.tell(problem ? *problem : fmt::format("{} is under an arbiter again", name_));
  }
  /// When to look again for an arbiter: soon, while another one may be taking the place of the last.
  long next_look_ns() const {
    if (left_ || connection_.connected()) return kUsualLookNs;
    return host::now_ns() - lost_ns_ < kSoonNs ? kSoonLookNs : kUsualLookNs / 2;
  }
  void reapply() { connection_.reapply(); }
  /// When a signal is the arbiter's word that the command has to end (`--on-overstay kill`): how
  /// long that may take. The arbiter would not wait longer than a lease, and would kill us alone.
  std::optional<std::int64_t> last_respite(const siginfo_t& info) const {
    const bool told = info.si_signo == SIGTERM && info.si_code == SI_USER && info.si_pid != 0 &&
                      info.si_pid == connection_.arbiter();
    return told ? std::optional(connection_.lease_ns() / 2) : std::nullopt;
  }
  void leave() {
    left_ = true;
    connection_.close();
  }

 private:
  const ExecOptions& options_;
  std::string name_;
  Connection connection_;
  bool alone_ = true;  ///< and that has been told
  bool left_ = false;
  bool told_of_share_ = false;
  std::int64_t lost_ns_ = -kSoonNs;
};

/// Passes a signal on, unless it reaches the command without us.
void pass_on(pid_t process, int signal, const siginfo_t& info) {
  // The terminal has sent it to the command, too; and a signal that this process caused itself (a
  // write to a pipe without a reader) is not for the command.
  if (info.si_code > 0 || info.si_pid == getpid()) return;
  if (info.si_code == SI_QUEUE) {
    sigqueue(process, signal, info.si_value);
  } else {
    kill(process, signal);
  }
}

bool is_to_stop(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

/// How the command is stopped: by the freezer, where it can be put into one.
struct Stopping {
  Stopping(pid_t command, client::StoppedProcesses& record)
      : freezer(Freezer::make(record)), signals(getpid(), true, &record) {
    if (freezer && !freezer->take_in(command)) {
      freezer.reset();
      record.control_group[0] = 0;
    }
  }
  Tier tier() { return freezer ? freezer->tier() : signals.tier(); }
  /// @return whether all have been ended
  bool kill_all() {
    return (freezer && freezer->kill_all()) || signals.kill_all(host::now_ns() + kMostToStopNs);
  }

  std::optional<Freezer> freezer;
  ProcessTier signals;
};

/// Serves signals until the command has ended.
int attend(HeldCommand& command, Membership& membership, Stopping& work, const sigset_t& signals) {
  std::optional<std::int64_t> kill_at;
  for (;;) {
    siginfo_t info{};
    const timespec look_again = {0, kill_at ? kKillPauseNs : membership.next_look_ns()};
    const int signal = sigtimedwait(&signals, &info, &look_again);
    if (signal > 0 && signal != SIGCHLD) pass_on(command.process(), signal, info);
    if (signal == SIGCONT) membership.reapply();  // it was continued, and may have to be off
    if (is_to_end(signal)) {
      const auto respite = membership.last_respite(info);
      if (respite && !kill_at) kill_at = host::now_ns() + *respite;
      membership.leave();
    }
    if (is_to_stop(signal)) kill(getpid(), SIGSTOP);  // as the process that waits for us expects
    // In any case: a signal that came twice is reported once.
    if (const auto code = command.ended()) {
      // What it has started, too, must give the GPU back, however well the command itself obeyed.
      for (int i = 0; kill_at && i < kMostToKill && !work.kill_all(); ++i)
        host::sleep_until_ns(host::now_ns() + kKillPauseNs);
      return *code;
    }
    if (kill_at && host::now_ns() >= *kill_at) work.kill_all();
    membership.keep();
  }
}

Result<int> execute_as_parent(const ExecOptions& options) {
  auto guardian = Guardian::start();
  if (!guardian) return guardian.error();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t signals, before;
  sigfillset(&signals);
  sigprocmask(SIG_BLOCK, &signals, &before);

  auto command = HeldCommand::start(options, before);
  if (!command) return command.error();
  Stopping work(command->process(), guardian->stopped());
  const Tier tier = work.tier();
  char why[100] = "";
  if (!tier.self_test(tier.self, why, sizeof why))
    return Error{fmt::format("the tier process does not work here: {}", why)};
  const TierCost cost = measure_cost(tier, kCostSamples, kSecond);

  Membership membership(options, tier, cost);
  bool forbidden = false;
  const auto problem = membership.join(forbidden);
  if (problem && (forbidden || options.required)) return Error{*problem};
  if (problem) {
    options.tell(fmt::format("{}; {} runs without", *problem, membership.name()));
  } else {
    options.tell(fmt::format("{} has {}, tier process (at most {} us to stop, {} us to continue)",
                             membership.name(), shown(options.urgency),
                             cost.take_off_max / 1000 + 1, cost.put_back_max / 1000 + 1));
  }
  command->release();
  const int code = attend(*command, membership, work, signals);
  membership.leave();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return code;
}

}  // namespace

std::string preload_list(std::string_view own, std::string_view others) {
  std::string sanitizers, rest;
  while (!others.empty()) {
    const std::size_t end = std::min(others.find_first_of(": "), others.size());
    const std::string_view one = others.substr(0, end);
    others.remove_prefix(std::min(end + 1, others.size()));
    if (one.empty()) continue;
    const std::string_view name = one.substr(one.rfind('/') + 1);  // npos + 1 is 0
    if (name.starts_with("lib") && name.find("san") != std::string_view::npos) {
      sanitizers.append(one).append(":");
    } else {
      rest.append(":").append(one);
    }
  }
  return fmt::format("{}{}{}", sanitizers, own, rest);
}

/// Its CPU work is on a core of its own; nothing is done to it.
Result<int> execute_on_a_core(const ExecOptions& options) {
  if (const auto admitted = reserve(*options.wish, options.socket, options.tell); !admitted)
    return admitted.error();
  return become(options.command);
}

Result<int> execute(const ExecOptions& options) {
  if (options.urgency.share > 0) {
    if (const auto problem = problem_of_share(options)) return Error{*problem};
  }
  if (options.wish && !options.wish->uses_gpu) return execute_on_a_core(options);
  return options.tier == "process" ? execute_as_parent(options) : execute_preloaded(options);
}

}  // namespace tactus::arbiter::exec
