#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tactus/cli/deciding.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/decide/advise.hpp"
#include "tactus/decide/remedy.hpp"
#include "tactus/methods/deploy.hpp"
#include "tactus/model/file.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/advice.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/plan.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string file, methods, target = "any", goal = "factor", output, plan;
  std::vector<std::string> vary;
  WhatIf what_if;
  std::uint64_t seed = 1;
  std::int64_t time_limit = 60;
  int threads = 1;
  bool json = false;
};

constexpr std::string_view kTargets[] = {"tactusd", "partitions", "tables", "any"};

/// Asks to stop when the time is up, or when somebody else has asked.
class Deadline {
 public:
  Deadline(std::chrono::seconds limit, const std::stop_token& other)
      : forward_(other, [this] { stop_.request_stop(); }),
        watcher_([this, limit](const std::stop_token& done) {
          std::unique_lock lock(mutex_);
          if (limit.count() > 0) wake_.wait_for(lock, done, limit, [] { return false; });
          if (limit.count() > 0 && !done.stop_requested()) stop_.request_stop();
        }) {}

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forward_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;
};

/// What may be searched, from the file and the command line; nothing after a complaint.
std::optional<decide::Wish> wish_of(const Arguments& arguments, const System& system) {
  decide::Wish wish;
  wish.open = decide::left_open(system);
  const auto deployed = deployed_by(system);
  if (const auto* problem = std::get_if<Diagnostic>(&deployed)) {
    complain_about(arguments.file, {*problem});
    return std::nullopt;
  }
  const auto told = [&](std::string_view what) {
    return std::find(arguments.vary.begin(), arguments.vary.end(), what) != arguments.vary.end();
  };
  wish.open.cores = told("cores");
  wish.open.priorities = wish.open.priorities || told("priorities");
  wish.open.gpu_priorities = wish.open.gpu_priorities || told("gpu-priorities");
  wish.sms = told("sms");
  const auto& own = std::get<std::optional<Deployed>>(deployed);
  if (arguments.methods.empty() && own && !told("method")) {
    wish.methods = {own->method};
  } else {
    const auto chosen = select_methods(arguments.methods.empty() ? "all" : arguments.methods);
    if (!chosen) {
      complain("tactus: " + chosen.error().message);
      return std::nullopt;
    }
    wish.methods = *chosen;
  }
  wish.goal = arguments.goal == "sms" ? decide::Goal::kSms : decide::Goal::kFactor;
  const auto* target = std::find(std::begin(kTargets), std::end(kTargets), arguments.target);
  wish.target = static_cast<decide::Target>(target - std::begin(kTargets));
  wish.effort.seed = arguments.seed;
  wish.threads = arguments.threads;
  return wish;
}

bool save(const std::string& path, std::string_view text) {
  const std::optional<Error> problem = write_text_file(path, text);
  if (problem) complain("tactus: " + problem->message);
  return !problem;
}

/// Writes the best option and its plan, where that was asked for and there is one.
bool save_best(const Arguments& arguments, const decide::Advice& advice) {
  if (arguments.output.empty() && arguments.plan.empty()) return true;
  if (!advice.found()) {
    complain("tactus: nothing is written: no way to run the system is proved");
    return true;
  }
  const decide::Option& best = advice.options.front();
  if (!arguments.output.empty() && !save(arguments.output, write_system(best.system))) return false;
  if (arguments.plan.empty()) return true;
  if (!best.verdict.plan) {
    complain(fmt::format("tactus: {} makes no plan", best.method->id));
    return false;
  }
  return save(arguments.plan, report::plan_json(best.system, best.verdict));
}

int run(const Arguments& arguments) {
  const std::optional<decide::Edited> edited = arguments.what_if.read(arguments.file);
  if (!edited) return kBadInput;
  const System& system = edited->system;
  std::optional<decide::Wish> wish = wish_of(arguments, system);
  if (!wish) return kBadInput;
  decide::Advice advice;
  report::WayOut way_out;
  {
    LongWork work;
    const Deadline deadline(std::chrono::seconds(arguments.time_limit), work.stop_token());
    wish->stop = deadline.token();
    wish->progress = work.progress();
    advice = decide::advise(system, *wish);
    if (!advice.found() && !advice.stopped) {
      way_out.remedies = decide::remedies(advice, 5);
      way_out.one_more_core = decide::with_one_more_core(system, *wish);
    }
  }
  if (!save_best(arguments, advice)) return kBadInput;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text =
      arguments.json
          ? report::advice_json(system, advice, way_out, edited->changes)
          : changes_text(*edited, style) + report::advice_text(system, advice, way_out, style);
  if (!emit(text)) return kBadInput;
  if (advice.found()) return kYes;
  return advice.options.empty() || advice.stopped ? kUnknown : kNo;
}

}  // namespace

void add_advise(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand(
      "advise", "Search what a file leaves open for the way to run it that leaves most room");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->file, "System file; - is standard input")->required();
  verb->add_option("--vary", arguments->vary,
                   "Also search, though the file gives it: cores, priorities, gpu-priorities, "
                   "shares, method, sms")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"cores", "priorities", "gpu-priorities", "shares", "method", "sms"}));
  verb->add_option("--for", arguments->target,
                   "What you are ready to run: tactusd, partitions, tables, any")
      ->capture_default_str()
      ->check(CLI::IsMember({"tactusd", "partitions", "tables", "any"}));
  verb->add_option("--goal", arguments->goal,
                   "factor: all times may grow most; sms: fewest SMs are needed")
      ->capture_default_str()
      ->check(CLI::IsMember({"factor", "sms"}));
  verb->add_option("-m,--method", arguments->methods,
                   "Only these methods, by id or wildcard, comma-separated");
  arguments->what_if.add_to(*verb);
  verb->add_option("--seed", arguments->seed, "Of everything random")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("-j,--threads", arguments->threads, "Threads; the result does not depend on it")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  verb->add_option("--time-limit", arguments->time_limit,
                   "Seconds; then the best so far is shown; 0: no limit")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("-o,--output", arguments->output,
                   "Write the system with the best choice, and what to deploy (*.system.json)")
      ->type_name("FILE");
  verb->add_option("--plan-out", arguments->plan, "Write the plan that goes with it (*.plan.json)")
      ->type_name("FILE");
  verb->add_flag("--json", arguments->json, "As JSON (docs/use/deciding.md)");
  verb->footer(
      "Exit code 0: a way to run it is proved; 1: none is, and this is what would have to change;\n"
      "2: bad input; 3: no method applies, or stopped before one was found.\n"
      "Examples:\n"
      "  tactus advise robot.system.json\n"
      "  tactus advise robot.system.json --vary cores,priorities --for tactusd -o "
      "best.system.json\n"
      "  tactus advise robot.system.json --goal sms --plan-out best.plan.json");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
