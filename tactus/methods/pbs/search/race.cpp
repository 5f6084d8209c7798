#include "tactus/methods/pbs/search/race.hpp"

#include <exception>
#include <mutex>
#include <thread>

namespace tactus::pbs {
namespace {

ChildOrder order_of(int runner) {
  if (runner == 0) return {};
  if (runner == 1) return {.urgent_first = false};
  return {.urgent_first = runner % 2 == 0, .shuffle = static_cast<std::uint64_t>(runner)};
}

}  // namespace

SearchResult race(const TaskSet& set, const Oracle& oracle, bool idle, const Features& features,
                  const Budget& budget, int threads) {
  if (threads <= 1) return search(set, oracle, idle, features, order_of(0), budget);

  std::atomic<bool> decided = false;
  std::mutex guard;
  SearchResult winner;         // the first answer, or the first runner's if there is none
  std::exception_ptr problem;  // an overflow, to be thrown to the caller
  const auto run = [&](int runner) {
    Budget own = budget;
    own.memory = budget.memory / threads;
    own.lost_race = &decided;
    if (runner > 0) own.progress = nullptr;
    Features tries = features;
    tries.probes = features.probes && runner == 0;
    try {
      SearchResult result = search(set, oracle, idle, tries, order_of(runner), std::move(own));
      const std::scoped_lock lock(guard);
      if (decided) return;
      if (result.answer != Answer::kStopped) decided = true;
      if (decided || runner == 0) winner = std::move(result);
    } catch (...) {
      const std::scoped_lock lock(guard);
      problem = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> runners;
    for (int runner = 1; runner < threads; ++runner) runners.emplace_back(run, runner);
    run(0);
  }
  if (!decided && problem) std::rethrow_exception(problem);
  return winner;
}

}  // namespace tactus::pbs
