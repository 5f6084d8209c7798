#include "tactus/exchange/triggers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/rhythms.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/model/reserve.hpp"

namespace tactus::exchange {
namespace {

constexpr std::size_t kMostChains = 100, kLongestChain = 100;

struct JobPlace {
  std::size_t task = 0, job = 0;
};

/// What one task sent to another.
struct Link {
  std::set<std::size_t> from, to;                          ///< jobs of the one and of the other
  bool one_to_one = true;                                  ///< no job starts two
  std::int64_t shortest = INT64_MAX, longest = INT64_MIN;  ///< from the end to the start

  /// All jobs between the first and the last take part.
  static bool gapless(const std::set<std::size_t>& jobs) {
    return *jobs.rbegin() - *jobs.begin() + 1 == jobs.size();
  }
};

class Triggers {
 public:
  Triggers(const Recording& recording, const std::vector<RecordedTask>& tasks,
           const ImportOptions& options, System& system, std::vector<std::string>& notes)
      : recording_(recording), tasks_(tasks), options_(options), system_(system), notes_(notes) {}

  void add() {
    find_links();
    for (std::size_t task = 0; task < tasks_.size(); ++task) decide(task);
    follow_periods(system_);
    for (std::size_t pass = 0; pass < shares_.size(); ++pass) share_periods();
    add_chains();
  }

 private:
  void find_links() {
    std::map<std::pair<ThreadId, std::int64_t>, JobPlace> places;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      const std::vector<Job>& jobs = tasks_[task].jobs;
      for (std::size_t k = 0; k < jobs.size(); ++k) {
        places[{jobs[k].by, jobs[k].start}] = {task, k};
      }
    }
    const auto place_of = [&](std::size_t annotation) {
      const Annotation& one = recording_.annotations[annotation];
      return places.find({one.by, one.start});
    };
    for (const Trigger& trigger : recording_.triggers) {
      const auto from = place_of(trigger.from), to = place_of(trigger.to);
      if (from == places.end() || to == places.end()) continue;
      const auto [sender, sent] = from->second;
      const auto [receiver, taken] = to->second;
      if (sender == receiver) continue;
      Link& link = links_[{sender, receiver}];
      link.one_to_one = link.from.insert(sent).second && link.one_to_one;
      link.to.insert(taken);
      const std::int64_t lag = tasks_[receiver].jobs[taken].start - tasks_[sender].jobs[sent].end;
      link.shortest = std::min(link.shortest, lag);
      link.longest = std::max(link.longest, lag);
    }
  }

  std::string between(const Link& link) const {
    return fmt::format("{} to {} {}", format_time(Time::from_ns(link.shortest), options_.time_unit),
                       format_time(Time::from_ns(link.longest), options_.time_unit),
                       options_.time_unit == TimeUnit::kMs   ? "ms"
                       : options_.time_unit == TimeUnit::kUs ? "us"
                       : options_.time_unit == TimeUnit::kNs ? "ns"
                                                             : "s");
  }

  /// Is a task released by another one, as `after` means it? Or why not.
  void decide(std::size_t task) {
    std::vector<std::pair<std::size_t, const Link*>> senders;
    for (const auto& [pair, link] : links_) {
      if (pair.second == task) senders.emplace_back(pair.first, &link);
    }
    if (senders.empty()) return;
    Task& own = system_.tasks[task];
    const auto refuse = [&](std::string_view why) {
      notes_.push_back(fmt::format("task {}: no `after`, because {}; the chains show its senders",
                                   quote(own.name), why));
    };
    if (senders.size() > 1) {
      return refuse(fmt::format("it takes messages of {} tasks", senders.size()));
    }
    const auto& [before, link] = senders.front();
    const std::string sender = quote(system_.tasks[before].name);
    if (system_.tasks[before].after && leads_to(before, task)) return refuse("that is a circle");
    if (!link->one_to_one || !Link::gapless(link->from)) {
      return refuse(fmt::format("not each job of {} starts one of it", sender));
    }
    // Those before the first may have taken what was sent before the recording began.
    if (!Link::gapless(link->to) || *link->to.rbegin() + 1 != tasks_[task].jobs.size()) {
      return refuse(
          fmt::format("some of its jobs took no message that {} was seen to send", sender));
    }
    if (link->shortest < 0) {
      shares_.emplace_back(task, before);
      return refuse(fmt::format("it began before {} had ended, in another thread", sender));
    }
    notes_.push_back(fmt::format(
        "task {} takes what {} sent, and begins {} after its end in all {} jobs: `after` and "
        "`jitter` say so",
        quote(own.name), sender, between(*link), link->to.size()));
    own.after = static_cast<TaskIndex>(before);
    own.offset = Time();
    own.jitter = Reserve{options_.margin}.above(Time::from_ns(link->longest));
    const bool asked = options_.deadlines.contains(own.name) || options_.deadlines.contains("");
    if (!asked) own.deadline.reset();
  }

  /// Whose jobs another task starts, but not at its end, has its period; how late its jobs are for
  /// that is its jitter.
  void share_periods() {
    for (const auto& [task, before] : shares_) {
      Task& own = system_.tasks[task];
      const auto& period = system_.tasks[before].period;
      if (!period || own.period == period) continue;
      own.period = period;
      own.jitter = Time();
      std::vector<SeenJob> jobs;
      for (const Job& job : tasks_[task].jobs) {
        jobs.push_back({Time::from_ns(job.start), Time::from_ns(job.end)});
      }
      std::vector<std::string> known;
      add_rhythm(jobs, options_, own, known);
    }
  }

  bool leads_to(std::size_t task, std::size_t goal) const {
    for (std::size_t steps = 0; steps <= tasks_.size(); ++steps) {
      if (task == goal) return true;
      const auto& before = system_.tasks[task].after;
      if (!before) return false;
      task = *before;
    }
    return true;
  }

  void add_chains() {
    std::vector<std::vector<std::size_t>> next(tasks_.size());
    std::vector<bool> started(tasks_.size());
    for (const auto& [pair, link] : links_) {
      next[pair.first].push_back(pair.second);
      started[pair.second] = true;
    }
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      path_.assign(1, task);
      if (!started[task] && !next[task].empty()) extend(next);
    }
    if (left_out_ > 0) {
      notes_.push_back(fmt::format("{} further chains are left out", left_out_));
    }
    if (!system_.chains.empty()) {
      notes_.push_back(
          fmt::format("{} chains of tasks that take each other's messages have no limit yet: give "
                      "them `reaction` or `age`",
                      system_.chains.size()));
    }
  }

  void extend(const std::vector<std::vector<std::size_t>>& next) {
    bool ends = true;
    for (std::size_t task : next[path_.back()]) {
      if (std::find(path_.begin(), path_.end(), task) != path_.end()) continue;
      if (path_.size() == kLongestChain || left_out_ > 0) continue;
      ends = false;
      path_.push_back(task);
      extend(next);
      path_.pop_back();
    }
    if (!ends || path_.size() < 2) return;
    if (system_.chains.size() == kMostChains) {
      ++left_out_;
      return;
    }
    Chain chain;
    chain.name = names_.make(clean_name(fmt::format("{} to {}", system_.tasks[path_.front()].name,
                                                    system_.tasks[path_.back()].name)));
    for (std::size_t task : path_) chain.tasks.push_back(static_cast<TaskIndex>(task));
    system_.chains.push_back(std::move(chain));
  }

  const Recording& recording_;
  const std::vector<RecordedTask>& tasks_;
  const ImportOptions& options_;
  System& system_;
  std::vector<std::string>& notes_;
  std::map<std::pair<std::size_t, std::size_t>, Link> links_;  ///< of sender and receiver
  std::vector<std::pair<std::size_t, std::size_t>> shares_;    ///< receiver and sender
  std::vector<std::size_t> path_;
  std::size_t left_out_ = 0;
  UniqueNames names_;
};

}  // namespace

void add_triggers(const Recording& recording, const std::vector<RecordedTask>& tasks,
                  const ImportOptions& options, System& system, std::vector<std::string>& notes) {
  Triggers(recording, tasks, options, system, notes).add();
}

}  // namespace tactus::exchange
