#include "tactus/experiment/work/run_experiment.hpp"

#include <fmt/core.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tactus/experiment/store/writer.hpp"
#include "tactus/experiment/work/agenda.hpp"
#include "tactus/experiment/work/cluster.hpp"
#include "tactus/experiment/work/prepare.hpp"
#include "tactus/experiment/work/wire.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::experiment {
namespace {

double seconds_since(std::int64_t begin_ns) {
  return static_cast<double>(host::now_ns() - begin_ns) / 1e9;
}

/// One run of rank 0.
class Run {
 public:
  Run(const RunRequest& request, Store& store, const PreparedList& list)
      : request_(request),
        list_(list),
        agenda_(std::max(1, request.context.threads * request.context.ranks)),
        on_stop_(request.stop, [this] { stop_.request_stop(); }),
        writer_(store, [this] { stop_.request_stop(); }) {
    for (const auto& one : list) {
      one->added.assign(one->judge.curves().size(), false);
      for (std::size_t point : one->stored.points) {
        const StoredSets there = store.sets_of(one->stored, point, one->added);
        const std::int64_t most = most_sets(one->experiment, one->judge.points()[point]);
        const auto at = static_cast<std::int64_t>(point);
        agenda_.add(one->stored.id, at, std::min(one->stored.sets, most), there.there);
        agenda_.add(one->stored.id, at, static_cast<std::int64_t>(there.whole.size()), there.whole,
                    true);
      }
    }
    to_do_ = agenda_.left();
  }

  Result<RunOutcome> operator()() {
    {
      std::jthread server;
      if (request_.ranks != nullptr) server = std::jthread([this] { direct_ranks(); });
      with_threads(request_.context.threads, [this] { work(); });
    }
    const std::string failure = writer_.finish();
    if (!failure.empty()) return Error{failure};
    if (!error_.empty()) return Error{error_};
    return RunOutcome{judged_, to_do_ - judged_, seconds_since(begin_)};
  }

 private:
  const Prepared& prepared(std::int64_t id) const {
    for (const auto& one : list_) {
      if (one->stored.id == id) return *one;
    }
    // A bug of ours. Thrown, not only asserted: no build may judge sets for the wrong experiment.
    throw std::logic_error(fmt::format("no experiment {} was prepared", id));
  }

  Chunk next(std::int64_t most) { return stop_.stop_requested() ? Chunk{} : agenda_.next(most); }

  void hand_over(std::vector<JudgedSet>&& sets) {
    judged_ += static_cast<std::int64_t>(sets.size());
    writer_.take(std::move(sets));
    tell_progress();
  }

  void work() {
    try {
      Portion portion;
      std::int64_t begin = host::now_ns();
      for (Chunk chunk = next(portion.sets()); chunk.count > 0; chunk = next(portion.sets())) {
        const Prepared& one = prepared(chunk.experiment);
        hand_over(judge_chunk(one.judge, chunk, one.added, stop_.get_token()));
        const std::int64_t end = host::now_ns();
        portion.took(end - begin, chunk.count);
        begin = end;
      }
    } catch (const std::exception& problem) {
      const std::lock_guard guard(lock_);
      error_ = fmt::format("the run ended early: {}", problem.what());
      stop_.request_stop();
    }
  }

  /// Keeps the other ranks busy until there is nothing left.
  void direct_ranks() {
    wire::Encoder experiments;
    for (const auto& one : list_) {
      std::string added;
      for (const bool is_added : one->added) added += is_added ? '1' : '0';
      experiments.number(one->stored.id).text(one->stored.file).text(added);
      experiments.number(one->experiment.own ? 1 : 0);
      if (one->experiment.own) wire::encode(*one->experiment.own, experiments);
    }
    Direction direction;
    direction.experiments = experiments.take();
    direction.next = [this](std::int64_t most) { return next(most); };
    direction.found = [this](std::vector<JudgedSet>&& sets) { hand_over(std::move(sets)); };
    direction.stop = stop_.get_token();
    direct(*request_.ranks, direction);
  }

  void tell_progress() {
    if (!request_.progress) return;
    const std::unique_lock guard(lock_, std::try_to_lock);
    if (!guard || seconds_since(told_) < 0.1) return;
    told_ = host::now_ns();
    const std::int64_t judged = judged_;
    request_.progress(fmt::format("{} of {} sets, {:.0f} sets/s", judged, to_do_,
                                  static_cast<double>(judged) / seconds_since(begin_)));
  }

  const RunRequest& request_;
  const PreparedList& list_;
  const std::int64_t begin_ = host::now_ns();
  Agenda agenda_;
  std::int64_t to_do_ = 0;
  std::atomic<std::int64_t> judged_{0};
  std::mutex lock_;  ///< of what follows
  std::int64_t told_ = begin_;
  std::string error_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_stop_;
  Writer writer_;
};

}  // namespace

namespace {

Result<RunOutcome> run_prepared(const RunRequest& request, bool& directed) {
  // Before a file is made: the corrected request would fail because of that file.
  if (auto refusal = refuse(request)) return std::move(*refusal);
  Result<std::unique_ptr<Store>> opened =
      Store::open(request.folder, request.context.version, request.resume);
  if (!opened) return opened.error();
  Store& store = **opened;
  store.wait_for_readers(request.stop);
  try {
    const Result<PreparedList> list = prepare(store, request);
    if (!list) return list.error();
    store.begin_run(request.context);
    Run work(request, store, *list);
    directed = true;
    Result<RunOutcome> outcome = work();
    if (outcome) store.end_run(outcome->seconds);
    return outcome;
  } catch (const std::exception& problem) {
    return Error{fmt::format("cannot write {}: {}", store.path(), problem.what())};
  }
}

}  // namespace

Result<RunOutcome> run(const RunRequest& request) {
  bool directed = false;
  Result<RunOutcome> outcome = run_prepared(request, directed);
  if (request.ranks != nullptr && !directed) dismiss(*request.ranks);
  return outcome;
}

}  // namespace tactus::experiment
