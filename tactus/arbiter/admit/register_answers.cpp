// What those who ask are told.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tactus/arbiter/admit/register.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/reserve/dry_run.hpp"

namespace tactus::arbiter::admit {

using reserve::Answer, reserve::Controller;

namespace {

std::string_view name_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNs:
      return " ns";
    case TimeUnit::kUs:
      return " us";
    case TimeUnit::kMs:
      return " ms";
    case TimeUnit::kS:
      return " s";
    case TimeUnit::kUnit:
      break;
  }
  return "";
}

std::string percent(std::int64_t thousandths) { return format_scaled(thousandths, 1) + " %"; }

}  // namespace

std::string Register::shown(Time time) const {
  const TimeUnit unit = controller_.platform().time_unit;
  return fmt::format("{}{}", format_time(time, unit), name_of(unit));
}

/// Names tell what others do: they are for the same user.
std::string Register::seen_name(const std::string& name, const Asker& asker) const {
  const auto at = holdings_.find(name);
  const bool own = at == holdings_.end() || at->second.kept || at->second.user == asker.user;
  return own || asker.sees_all ? name : "another user's task";
}

Told Register::standing(const Asker& asker) const {
  Told told;
  for (const Controller::Reservation& one : controller_.reservations()) {
    const auto held = holdings_.find(one.task.name);
    if (held == holdings_.end()) continue;  // it is given up
    const Holding& holding = held->second;
    Told::Standing seen;
    seen.task = seen_name(one.task.name, asker);
    seen.core = one.task.core.value_or(0);
    seen.bound = one.bound;
    seen.held_to = one.values.response;
    seen.deadline = *one.task.deadline;
    seen.period = *one.task.period;
    seen.room_thousandths = reserve::room_of(one.task, one.values);
    if (holding.user == asker.user || asker.sees_all) seen.process = holding.process;
    seen.kept = holding.kept;
    seen.starting = holding.process != 0 && holding.begins > now_;
    seen.cuts = one.cuts;
    seen.jobs = holding.tally->jobs;
    seen.demotions = holding.tally->demotions;
    seen.between = holding.tally->between;
    seen.longest = Time::from_ns(holding.tally->longest_ns);
    told.reservations.push_back(std::move(seen));
  }
  for (const Controller::Phantom& phantom : controller_.phantoms()) {
    Told::Departed departed;
    departed.task = asker.sees_all ? phantom.task.name : "a task";
    if (phantom.until) departed.until = *phantom.until - Time::from_ns(now_);
    told.departed.push_back(std::move(departed));
  }
  told.refusals = refusals_;
  told.beyond = *beyond_;
  return told;
}

Reply Register::said(const Asker& asker, std::string word, std::string text) const {
  Told told = standing(asker);
  told.word = std::move(word);
  told.text = std::move(text);
  return reply_of(controller_.platform(), told);
}

Reply Register::admitted(const Asker& asker, const Answer& answer) const {
  Told told = standing(asker);
  told.word = "admitted";
  told.task = answer.task.name;
  told.deadline = answer.task.deadline;
  told.core = answer.task.core;
  for (const Term& term : answer.terms) {
    const std::string by = term.by < answer.beside.size() ? answer.beside[term.by] : std::string();
    told.terms.push_back(
        {std::string(term.label), by.empty() ? by : seen_name(by, asker), term.amount});
  }
  for (const Controller::Reservation& one : controller_.reservations()) {
    if (one.task.name == answer.task.name) told.bound = one.bound;
  }
  const auto least = std::min_element(told.reservations.begin(), told.reservations.end(),
                                      [](const Told::Standing& a, const Told::Standing& b) {
                                        return a.room_thousandths < b.room_thousandths;
                                      });
  told.text =
      fmt::format("admitted as {} on core {}: response at most {} of {}; least room now: {} {}",
                  told.task, *told.core, format_time(*told.bound, controller_.platform().time_unit),
                  shown(*told.deadline), least->task, percent(least->room_thousandths));
  if (const std::int64_t first = holdings_.at(told.task).first; first > now_) {
    told.first = Time::from_ns(first - now_);
    told.text += fmt::format("; its first job arrives in {}, a period after those of the last time",
                             shown(*told.first));
  }
  for (const std::string& name : answer.trusts) told.trusts.push_back(seen_name(name, asker));
  if (!told.trusts.empty())
    told.text += fmt::format("; trusts {} on core {}", fmt::join(told.trusts, ", "), *told.core);
  return reply_of(controller_.platform(), told);
}

Reply Register::refused(const Asker& asker, const Answer& answer,
                        const Controller::Enough& enough) {
  ++refusals_;
  Told told = standing(asker);
  told.task = answer.task.name;
  told.deadline = answer.task.deadline;
  told.core = answer.task.core;
  told.cut_short = answer.cut_short;
  told.late = answer.late;
  told.text = "refused";
  if (told.late) {
    told.late->task = seen_name(told.late->task, asker);
    told.text += fmt::format(": {} could be late, {} of {}", told.late->task,
                             format_time(told.late->at_least, controller_.platform().time_unit),
                             shown(told.late->deadline));
  }
  if (answer.again || answer.when_idle) {
    told.word = "later";
    if (answer.again) told.again = *answer.again - Time::from_ns(now_);
    told.text += told.again ? fmt::format(
                                  "; admitted from now on in {}: of somebody who is gone "
                                  "there may still be jobs that it has delayed",
                                  shown(*told.again))
                            : "; admitted when no reserved task has a job";
    return reply_of(controller_.platform(), told);
  }
  told.word = "refused";
  if (told.cut_short) told.text += "; not everything was tried";
  Task asked = answer.task;
  const reserve::Instead instead = controller_.instead_of(asked, enough);
  std::vector<std::string> ways;
  if (instead.period) ways.push_back("with period " + shown(*instead.period));
  if (instead.gpu_thousandths)
    ways.push_back(fmt::format("with {} of its GPU time", percent(*instead.gpu_thousandths)));
  if (instead.core) ways.push_back(fmt::format("on core {}", *instead.core));
  told.text += ways.empty() ? "; no other period, GPU time or core was found that alone would do"
                            : fmt::format("; would be admitted {}", fmt::join(ways, ", or "));
  if (instead.any()) told.instead = instead;
  return reply_of(controller_.platform(), told);
}

/// The state as a system file: who is gone but still counted is in it, and so are the priorities and
/// thresholds in force.
Reply Register::dump(const Asker& asker) const {
  System system;
  const System& platform = controller_.platform();
  system.name = platform.name;
  system.time_unit = platform.time_unit;
  system.platform = platform.platform;
  system.note = "Reservations in force. Bounds there also count that a GPU segment may be too long";
  std::map<std::string, int> used;
  const auto& list = controller_.list();
  std::vector<std::int64_t> gpu_priorities;  // by rank
  const auto priority_at = [&](std::size_t place) {
    return static_cast<std::int64_t>(list.size() - place);
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].cuts.empty()) gpu_priorities.push_back(priority_at(i));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    Task task = *list[i].task;
    const std::string seen = seen_name(task.name, asker);
    task.name = seen == task.name ? seen : "other";
    if (const int before = used[task.name]++; before > 0)
      task.name = fmt::format("{}-{}", task.name, before + 1);
    task.priority = priority_at(i);
    task.gpu_priority.reset();
    std::size_t segment = 0;
    for (Node& node : task.nodes) {
      if (platform.platform.elements[node.on].kind != ElementKind::kGpu) continue;
      const std::size_t cut = list[i].cuts[std::min(segment++, list[i].cuts.size() - 1)];
      node.gpu_threshold = gpu_priorities[cut];
    }
    system.tasks.push_back(std::move(task));
  }
  for (const Task& task : platform.tasks) {
    if (task.best_effort) system.tasks.push_back(task);
  }
  Reply reply{"done", write_system(system), {}};
  reply.json = reply.text;
  return reply;
}

}  // namespace tactus::arbiter::admit
