#include "tactus/deploy/launch.hpp"
#include "tactus/deploy/quoting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tactus/arbiter/client/task_file.hpp"
#include "tactus/arbiter/path_variables.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/tasks/private_arbiter.hpp"
#include "tactus/base/printable.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/model/gpu_element.hpp"
#include "tactus/model/paths.hpp"

namespace tactus::deploy {
namespace {

/// tasks have 10 and more, so that what the kernel runs at low levels is below them; the arbiter is
/// above them all.
constexpr int kLowestLevel = 10, kLevels = 75, kArbiterLevel = 90;

std::int64_t cores_of(const System& system) {
  std::int64_t cores = 0;
  for (const Element& element : system.platform.elements)
    if (element.kind == ElementKind::kCpu) cores = std::max(cores, element.units);
  return cores;
}

/// As user databases have them; also a number.
bool is_user_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.front() != '-' && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), fits);
}

class Maker {
 public:
  Maker(const System& system, const Method& method, const Verdict& verdict, const Wish& wish)
      : system_(system), verdict_(verdict), wish_(wish) {
    launch_.system = system.name;
    launch_.method = method.id;
    launch_.variant = verdict.variant;
    launch_.tactus = wish.tactus;
  }

  Result<Launch, std::vector<Error>> make(const Method& method, const PlanFiles& files) {
    const auto deployment = decide::deployment_of(method);
    if (!deployment) {
      problem({}, deployment.error().message);
      return problems_;
    }
    launch_.way = deployment->way;
    if (deployment->variant != verdict_.variant)
      problem({}, fmt::format("the plan is of the variant {}; what runs here is covered by the "
                              "variant {}: make the plan with --variant {}",
                              verdict_.variant, deployment->variant, deployment->variant));
    switch (launch_.way) {
      case decide::Way::kArbiter:
      case decide::Way::kRoundRobin:
        gated_ = dynamic_cast<const gcaps::boost::BoostPlan*>(verdict_.plan.get());
        start_tasks(gated_ != nullptr
                        ? &gated_->priorities
                        : dynamic_cast<const gcaps::PriorityPlan*>(verdict_.plan.get()));
        break;
      case decide::Way::kLock:
        problem({}, fmt::format("plans of {} cannot be deployed: its lock is part of the programs, "
                                "and tactus has it only inside `tactus run`",
                                method.id));
        break;
      case decide::Way::kPartitions:
      case decide::Way::kTables:
        play(files);
        break;
    }
    if (!problems_.empty()) return problems_;
    const auto cover = decide::cover_of(system_, verdict_);
    launch_.counts_on_channel =
        launch_.arbiter &&
        (wish_.by == By::kChannel ||
         (cover && cover->tier == decide::Tier::kChannel && wish_.by != By::kProcess));
    return std::move(launch_);
  }

 private:
  void problem(Position at, std::string message) {
    problems_.push_back({std::move(message), {}, at});
  }

  bool arbitrated() const { return launch_.way == decide::Way::kArbiter; }

  void start_tasks(const gcaps::PriorityPlan* plan) {
    if (plan == nullptr) return problem({}, "the plan has no priorities");
    const auto places = places_of(system_, wish_.cpus, arbitrated());
    if (!places) return problem({}, places.error().message);
    for (const Task& task : system_.tasks) {
      if (!task.command && !wish_.without_commands)
        problem(task.at,
                fmt::format("task {} has no `command`, so it cannot be started", quote(task.name)));
    }
    if (!problems_.empty()) return;
    const std::vector<int> levels = levels_of(*plan);
    std::vector<const gcaps::PriorityPlan::Entry*> entry_of(system_.tasks.size());
    for (const auto& entry : plan->entries) entry_of[entry.task] = &entry;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      const std::int64_t core = plan->cores[i];
      launch_.programs.push_back(
          program_of(system_.tasks[i], entry_of[i], core, levels[i],
                     places->cpu_of_core[static_cast<std::size_t>(core - 1)]));
    }
    if (arbitrated()) start_arbiter(*plan, *places->arbiter);
    note_duties(*plan);
  }

  /// SCHED_FIFO levels by task, 0 for best effort: a level of its own for each, in the plan's order.
  std::vector<int> levels_of(const gcaps::PriorityPlan& plan) {
    std::vector<int> levels(system_.tasks.size(), 0);
    if (!wish_.realtime) return levels;
    // In decreasing priority. Only tasks of one core compete, so where there are more tasks than
    // levels each core has its own.
    const bool by_core = plan.entries.size() > static_cast<std::size_t>(kLevels);
    std::map<std::int64_t, int> used;
    for (auto entry = plan.entries.rbegin(); entry != plan.entries.rend(); ++entry) {
      const std::int64_t core = by_core ? plan.cores[entry->task] : 0;
      const int rank = used[core]++;
      if (rank == kLevels)
        problem(system_.tasks[entry->task].at,
                fmt::format("core {} has more than {} real-time tasks: SCHED_FIFO has not enough "
                            "priorities for them",
                            core, kLevels));
      levels[entry->task] = kLowestLevel + std::min(rank, kLevels - 1);
    }
    return levels;
  }

  Program program_of(const Task& task, const gcaps::PriorityPlan::Entry* entry, std::int64_t core,
                     int level, int cpu) {
    const Command command = task.command ? *task.command : Command{};
    Program program;
    program.name = task.name;
    program.words = command.argv;
    program.folder = command.cwd;
    program.user = command.user;
    program.environment = command.env;
    program.environment.push_back({arbiter::kTaskVariable, variable_of(task)});
    put_on_path(task, program);
    let_watch(program);
    program.cpu = cpu;
    program.fifo = level;
    if (program.user && !is_user_name(*program.user))
      problem(command.at, fmt::format("task {}: {} is no name of a user", quote(task.name),
                                      quote(*program.user)));
    program.why = fmt::format("core {}, {}", core,
                              entry == nullptr ? std::string("best effort")
                                               : fmt::format("priority {}", entry->priority));
    if (!arbitrated() || !uses_gpu(system_, task)) return program;
    std::string priority = "best-effort";
    if (entry != nullptr) {
      priority = std::to_string(entry->gpu_priority);
      program.why += fmt::format(", GPU priority {}", entry->gpu_priority);
      constexpr std::int64_t kMost = 1'000'000;  // what `tactus exec` and the client library take
      if (entry->gpu_priority < -kMost || entry->gpu_priority > kMost)
        problem(task.at, fmt::format("task {}: an arbiter has no GPU priority {}", quote(task.name),
                                     entry->gpu_priority));
    }
    if (program.user) program.groups.push_back(wish_.group);
    put_under_arbiter(program, priority, entry == nullptr);
    return program;
  }

  std::string variable_of(const Task& task) const {
    return fmt::format("{}/{}", system_.name, task.name);
  }

  /// How it finds the tasks that it starts, or that start it; and when its own jobs arrive.
  void put_on_path(const Task& task, Program& program) {
    const auto index = static_cast<TaskIndex>(&task - system_.tasks.data());
    const auto add = [&](const char* name, std::string value) {
      program.environment.push_back({name, std::move(value)});
    };
    const auto add_time = [&](const char* name, Time time) {
      add(name, std::to_string(time.ns()));
    };
    const bool starts = std::any_of(system_.tasks.begin(), system_.tasks.end(),
                                    [&](const Task& other) { return other.after == index; });
    if (starts || task.after) {
      if (!launch_.paths) {
        launch_.paths = beside_socket("paths");
      }
      program.on_path = true;
      if (!arbiter::client::TaskFile::can_be_named(variable_of(task).c_str()))
        problem(task.at, fmt::format("the name of task {} is too long for the file by which tasks "
                                     "meet",
                                     quote(task.name)));
      add(arbiter::kPathsVariable, *launch_.paths);
      add_time(arbiter::kJitterVariable, task.jitter);
      add_time(arbiter::kLeastVariable, nominal_delay(system_, index));
    }
    if (task.after) {
      const Task& before = system_.tasks[*task.after];
      add(arbiter::kAfterVariable, variable_of(before));
      const auto user_of = [](const Task& of) {
        return of.command ? of.command->user : std::optional<std::string>();
      };
      if (user_of(task) != user_of(before))
        problem(task.at,
                fmt::format("task {} is after task {}, but runs as another user: tasks meet "
                            "in a folder that belongs to one user",
                            quote(task.name), quote(before.name)));
      return;
    }
    const bool in_fixed_chain =
        std::any_of(system_.chains.begin(), system_.chains.end(), [&](const Chain& chain) {
          return chain.phases == Chain::Phases::kFixed &&
                 std::find(chain.tasks.begin(), chain.tasks.end(), index) != chain.tasks.end();
        });
    if (!task.period || (!starts && !in_fixed_chain)) return;
    add_time(arbiter::kPeriodVariable, *task.period);
    add_time(arbiter::kOffsetVariable, task.offset);
  }

  /// Where `tactus watch` finds what it writes down; a folder for each user.
  void let_watch(Program& program) const {
    program.diaries = beside_socket("watch");
    if (program.user) program.diaries += fmt::format("-{}", *program.user);
    program.environment.push_back({arbiter::kWatchVariable, program.diaries});
  }

  std::string beside_socket(std::string_view what) const {
    return fmt::format("{}/{}-{}", wish_.socket.substr(0, wish_.socket.rfind('/')), what,
                       unit_part(system_.name));
  }

  void put_under_arbiter(Program& program, const std::string& priority, bool best_effort) const {
    program.environment.push_back({arbiter::kSocketVariable, wish_.socket});
    const bool unchanged = wish_.by == By::kProcess || (wish_.by == By::kChannel && best_effort);
    if (!unchanged) program.environment.push_back({arbiter::kSegmentPriorityVariable, priority});
    // Without the library the tier of a segment is `hold`, whatever is asked for.
    const bool with_library = wish_.by == By::kChannel && gated_ != nullptr && !unchanged;
    if (!unchanged && !with_library) return;
    std::vector<std::string> words = {wish_.tactus, "exec", "--tier",
                                      wish_.by == By::kProcess ? "process" : "channel"};
    if (with_library) {
      words.emplace_back("--segments");
    } else if (best_effort) {
      words.emplace_back("--best-effort");
    } else {
      words.insert(words.end(), {"--priority", priority});
    }
    words.insert(words.end(), {"--required", "--"});
    program.words.insert(program.words.begin(), words.begin(), words.end());
  }

  void start_arbiter(const gcaps::PriorityPlan& plan, int cpu) {
    Program arbiter;
    arbiter.name = "arbiter";
    arbiter.words = {wish_.tactusd, "--socket", wish_.socket};
    const auto add = [&](std::initializer_list<std::string> words) {
      arbiter.words.insert(arbiter.words.end(), words);
    };
    if (gated_ != nullptr) add({"--protocol", "boost"});
    add({"--cpu", std::to_string(cpu)});
    if (wish_.realtime) add({"--realtime", std::to_string(kArbiterLevel)});
    // Never shorter than what tactusd waits by default.
    constexpr std::int64_t kUsualMs = 100;
    const std::int64_t timeout = arbiter::tasks::least_update_timeout(system_).ns() / 1'000'000 + 1;
    if (timeout > kUsualMs) add({"--update-timeout", std::to_string(timeout)});
    allow_users(plan, arbiter);
    arbiter.cpu = cpu;  // it goes there itself
    arbiter.fifo = wish_.realtime ? kArbiterLevel : 0;
    arbiter.why = "decides who has the GPU; alone on its CPU, above all tasks";
    launch_.socket = wish_.socket;
    launch_.arbiter = std::move(arbiter);
  }

  /// Each user may use the priorities of its own tasks, and no others.
  void allow_users(const gcaps::PriorityPlan& plan, Program& arbiter) const {
    const auto user_of = [&](TaskIndex task) {
      const Task& owner = system_.tasks[task];
      return owner.command ? owner.command->user.value_or("root") : "root";
    };
    const auto is_others = [](const Program& program) { return program.user.has_value(); };
    if (std::none_of(launch_.programs.begin(), launch_.programs.end(), is_others)) return;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges;
    for (const auto& entry : plan.entries) {
      if (!uses_gpu(system_, system_.tasks[entry.task])) continue;
      const std::int64_t priority = entry.gpu_priority;
      auto& [least, most] =
          ranges.try_emplace(user_of(entry.task), priority, priority).first->second;
      least = std::min(least, priority);
      most = std::max(most, priority);
    }
    auto& words = arbiter.words;
    words.insert(words.end(), {"--group", wish_.group, "--allow", "*:best-effort"});
    for (const auto& [user, range] : ranges)
      words.insert(words.end(),
                   {"--allow", fmt::format("{}:{}-{}", user, range.first, range.second)});
  }

  /// "camera 40; lidar 40, 30"
  std::string thresholds_text(const gcaps::PriorityPlan& plan) const {
    std::string text;
    for (const auto& entry : plan.entries) {
      const auto& own = gated_->thresholds[entry.task];
      if (own.empty()) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ",
                          printable_line(system_.tasks[entry.task].name), fmt::join(own, ", "));
    }
    return text;
  }

  void note_duties(const gcaps::PriorityPlan& plan) {
    auto& notes = launch_.notes;
    if (arbitrated() && wish_.by == By::kProcess) {
      notes.emplace_back(
          "Each command is one GPU segment from its start to its end, and is stopped as a process, "
          "not on the GPU. This is for trying things out; no bound covers it.");
    } else if (gated_ != nullptr) {
      notes.push_back(fmt::format(
          "Each program must mark its GPU segments (tactus/client.h) with the priority of the plan "
          "and their thresholds: tactus_segment_begin_stream(stream, TACTUS_DEPLOYED_PRIORITY, "
          "threshold). Thresholds, segment by segment: {}.",
          thresholds_text(plan)));
    } else if (arbitrated()) {
      notes.emplace_back(
          "Each program must mark its GPU segments (tactus/client.h) with the priority of the "
          "plan: tactus_segment_begin(TACTUS_DEPLOYED_PRIORITY), which reads "
          "TACTUS_SEGMENT_PRIORITY.");
    }
    if (plan.waiting == gcaps::Mode::kBusy)
      notes.emplace_back(
          "The plan assumes that a task keeps its core while the GPU works for it: call "
          "tactus_set_waiting(TACTUS_BUSY), and wait for kernels busily (cudaDeviceScheduleSpin).");
    if (launch_.paths)
      notes.emplace_back(
          "Programs of tasks that start tasks must say so (tactus/client.h): a task with `after` "
          "waits by tactus_path_wait, and each that starts others tells them by "
          "tactus_path_ended. tactus_path_open(NULL, NULL) finds the others.");
    if (!wish_.realtime)
      notes.emplace_back(
          "Without real-time scheduling (--no-realtime) no bound covers tasks that share a core.");
    const Element* const gpu = gpu_of(system_);
    if (arbitrated() && gpu != nullptr && !gpu->arbiter_core)
      notes.emplace_back(
          "The file names no `arbiter_core`; the arbiter got a core without tasks, as the bounds "
          "assume.");
  }

  void play(const PlanFiles& files) {
    Program player;
    player.name = "player";
    player.words = {wish_.tactus, "run",       files.system,  "--plan",
                    files.plan,   "--backend", wish_.backend, "--strict"};
    if (wish_.realtime) player.words.emplace_back("--realtime");
    player.why = launch_.way == decide::Way::kTables
                     ? "plays the table, all GPU work in one program"
                     : "plays the plan, all GPU work in one program";
    launch_.programs.push_back(std::move(player));
    launch_.notes.emplace_back(
        "One program plays this plan, with kernels of its own that take the times of the file: it "
        "shows that the machine keeps the plan. The tasks' commands are not started. To play your "
        "own kernels, link the library (docs/inside/library.md).");
  }

  const System& system_;
  const Verdict& verdict_;
  const Wish& wish_;
  const gcaps::boost::BoostPlan* gated_ = nullptr;  ///< where the plan is of that kind
  Launch launch_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

std::vector<std::string> place_words(const Program& program) {
  std::vector<std::string> words;
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  if (program.fifo > 0) add({"chrt", "-f", std::to_string(program.fifo)});
  if (program.cpu) add({"taskset", "-c", std::to_string(*program.cpu)});
  if (program.user) add({"runuser", "-u", *program.user, "--"});
  return words;
}

Result<Places> places_of(const System& system, const std::vector<int>& cpus, bool with_arbiter) {
  const std::int64_t cores = cores_of(system);
  Places places;
  for (std::int64_t core = 0; core < cores; ++core) {
    const auto at = static_cast<std::size_t>(core);
    if (!cpus.empty() && at >= cpus.size())
      return Error{
          fmt::format("--cpus names {} CPUs, and the file has {} cores", cpus.size(), cores)};
    places.cpu_of_core.push_back(cpus.empty() ? static_cast<int>(core) : cpus[at]);
  }
  if (!with_arbiter) return places;
  if (const Element* gpu = gpu_of(system); gpu != nullptr && gpu->arbiter_core) {
    places.arbiter = places.cpu_of_core[static_cast<std::size_t>(*gpu->arbiter_core - 1)];
    return places;
  }
  for (std::int64_t core = cores; core >= 1 && !places.arbiter; --core) {
    const bool taken = std::any_of(system.tasks.begin(), system.tasks.end(),
                                   [&](const Task& task) { return task.core.value_or(1) == core; });
    if (!taken) places.arbiter = places.cpu_of_core[static_cast<std::size_t>(core - 1)];
  }
  if (places.arbiter) return places;
  const auto beyond = static_cast<std::size_t>(cores);
  if (!cpus.empty() && cpus.size() <= beyond)
    return Error{
        fmt::format("every core of the file has tasks: name a further CPU for the arbiter "
                    "(--cpus needs {})",
                    cores + 1)};
  places.arbiter = cpus.empty() ? static_cast<int>(cores) : cpus[beyond];
  return places;
}

Result<Launch, std::vector<Error>> launch_of(const System& system, const Method& method,
                                             const Verdict& plan, const Wish& wish,
                                             const PlanFiles& files) {
  return Maker(system, method, plan, wish).make(method, files);
}

}  // namespace tactus::deploy
