#include "tactus/verbs/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tactus/decide/remedy.hpp"
#include "tactus/methods/deploy.hpp"

namespace tactus::verbs {
namespace {

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

/// What may be searched, from the file and the request.
/// @param only gets the method that the file deploys, where no other is looked at
Answer<decide::Wish> wish_of(const System& system, const AdviseQuestion& request,
                             std::string& only) {
  decide::Wish wish;
  wish.open = decide::left_open(system);
  const auto deployed = deployed_by(system);
  if (!deployed) return NoAnswer::bad_input(deployed.error(), request.about.name());
  const auto told = [&](std::string_view what) {
    return std::find(request.vary.begin(), request.vary.end(), what) != request.vary.end();
  };
  wish.open.cores = told("cores");
  wish.open.priorities = wish.open.priorities || told("priorities");
  wish.open.gpu_priorities = wish.open.gpu_priorities || told("gpu-priorities");
  wish.open.offsets = wish.open.offsets || told("offsets");
  wish.sms = told("sms");
  const std::optional<Deployed>& own = *deployed;
  if (request.method.empty() && own && !told("method")) {
    wish.methods = {own->method};
    only = own->method->id;
  } else {
    const auto chosen = select_methods(request.method.empty() ? "all" : request.method);
    if (!chosen) return NoAnswer::bad_input(chosen.error().message);
    wish.methods = *chosen;
  }
  wish.goal = request.goal == "sms" ? decide::Goal::kSms : decide::Goal::kFactor;
  const auto* target = std::find(kTargets.begin(), kTargets.end(), request.target);
  wish.target = static_cast<decide::Target>(target - kTargets.begin());
  if (wish.sms || wish.goal == decide::Goal::kSms) {
    if (const auto why = decide::why_no_fewer_sms(system)) {
      return NoAnswer::bad_input(
          fmt::format("{}: {}", wish.sms ? "--vary sms" : "--goal sms", *why));
    }
  }
  if (told("shares")) {
    if (const auto why = decide::why_no_shares(system, wish)) {
      return NoAnswer::bad_input("--vary shares: " + *why);
    }
  }
  wish.effort.seed = request.seed;
  wish.threads = request.threads;
  return wish;
}

}  // namespace

Exit Advised::exit() const {
  if (advice.found()) return kYes;
  return advice.options.empty() || advice.stopped ? kUnknown : kNo;
}

void describe(AdviseQuestion& question, Fields& is) {
  describe(question.about, is);
  is("vary", question.vary,
     fmt::format("Also search, though the file gives it: {}", fmt::join(kVaried, ", ")))
      .shows("LIST")
      .commas()
      .one_of(kVaried);
  is("target", question.target, "What you are ready to run").one_of(kTargets).formerly("for");
  is("goal", question.goal, "factor: all times may grow most; sms: fewest SMs are needed")
      .one_of(kGoals);
  is("method", question.method, "Only these methods, by id or wildcard, comma-separated")
      .letter('m')
      .shows("LIST")
      .commas();
  is("seed", question.seed, "Of everything random");
  is("threads", question.threads, "Threads; the result does not depend on it")
      .letter('j')
      .range(1, 1024);
  is("stop_after", question.stop_after,
     "Stop after so many seconds, and show the best so far; 0: no limit")
      .formerly("time-limit");
  is("systems", question.systems, "Each proved option has its system and its plan").by_library();
}

std::string Advised::json() const {
  return report::advice_json(edited.system, advice, way_out, edited.changes, with_systems);
}

Answer<Advised> answer(const AdviseQuestion& question, const Companion& companion) {
  Advised answer;
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  answer.edited = std::move(*edited);
  answer.with_systems = question.systems;
  const System& system = answer.edited.system;
  auto wish = wish_of(system, question, answer.way_out.only);
  if (!wish) return wish.none();
  const Deadline deadline(std::chrono::seconds(question.stop_after), companion.stop);
  wish->stop = deadline.token();
  wish->progress = companion.progress;
  answer.advice = decide::advise(system, *wish);
  if (!answer.advice.found() && !answer.advice.stopped) {
    answer.way_out.remedies = decide::remedies(system, *wish, answer.advice, 5);
    answer.way_out.one_more_core = decide::with_one_more(system, *wish, ElementKind::kCpu);
    answer.way_out.one_more_sm = decide::with_one_more(system, *wish, ElementKind::kGpu);
  }
  return answer;
}

}  // namespace tactus::verbs
