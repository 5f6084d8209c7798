#include "tactus/verbs/start_wish.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace tactus::verbs {
namespace {

/// "2,3,5": the CPU of core 1, 2, 3.
std::optional<std::vector<int>> cpus_of(std::string_view text) {
  constexpr int kMost = 100'000;
  std::vector<int> cpus;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    int cpu = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), cpu);
    if (error != std::errc() || end != part.data() + part.size() || cpu < 0 || cpu > kMost)
      return std::nullopt;
    cpus.push_back(cpu);
    if (comma == std::string_view::npos) return cpus;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

void describe(StartWish& wish, Fields& is) {
  is("tier", wish.tier_,
     "gate: programs mark their GPU segments; channel: the same, but work is taken off in the "
     "middle "
     "of a kernel: of best-effort tasks, whose programs are unchanged, and of all under "
     "gcaps.boost; "
     "process: all are unchanged, and stopped as processes, to try it without a GPU")
      .one_of({"gate", "channel", "process"});
  is("cpus", wish.cpus_,
     "The CPU of core 1, 2, ... of the file, and then the arbiter's if every core has tasks "
     "(default: "
     "0, 1, ...)")
      .shows("LIST");
  is("backend", wish.backend_,
     "For plans that one program plays (partitions, tables): where it does")
      .one_of({"cuda", "emulator"});
  is("realtime", wish.realtime_, "With SCHED_FIFO")
      .off("Without SCHED_FIFO; then no bound covers tasks that share a core");
  is("accept", wish.accepted_,
     "Start it although this condition of the proof does not hold; then nothing is proved, and "
     "everything says so")
      .shows("ID")
      .commas();
}

Answer<std::vector<decide::Condition>> StartWish::waived(
    const std::vector<decide::Condition>& conditions) const {
  std::vector<decide::Condition> all;
  for (const std::string& id : accepted_) {
    const auto found =
        std::find_if(conditions.begin(), conditions.end(),
                     [&](const decide::Condition& condition) { return condition.id == id; });
    const bool there = found != conditions.end();
    if (there && found->holds == decide::Holds::kNo) {
      all.push_back(*found);
      continue;
    }
    std::string ids;
    for (const decide::Condition& condition : conditions)
      ids += (ids.empty() ? "" : ", ") + condition.id;
    return NoAnswer::bad_input(
        there
            ? fmt::format("--accept {}: there is nothing to accept, it is {}", id,
                          found->holds == decide::Holds::kYes ? "so" : "not known")
            : fmt::format("--accept {}: this start has no such condition; there are: {}", id, ids));
  }
  return all;
}

Answer<deploy::Wish> StartWish::wish() const {
  deploy::Wish wish;
  wish.by = tier_ == "gate"      ? deploy::By::kSegments
            : tier_ == "channel" ? deploy::By::kChannel
                                 : deploy::By::kProcess;
  wish.backend = backend_;
  wish.realtime = realtime_;
  if (cpus_.empty()) return wish;
  const auto cpus = cpus_of(cpus_);
  if (!cpus) {
    return NoAnswer::bad_input("--cpus must be numbers of CPUs with commas between, such as 2,3,5");
  }
  wish.cpus = *cpus;
  return wish;
}

std::vector<std::string> StartWish::words() const {
  std::vector<std::string> words;
  if (tier_ != "gate") words.insert(words.end(), {"--tier", tier_});
  if (!cpus_.empty()) words.insert(words.end(), {"--cpus", cpus_});
  if (backend_ != "cuda") words.insert(words.end(), {"--backend", backend_});
  if (!realtime_) words.emplace_back("--no-realtime");
  for (const std::string& id : accepted_) words.insert(words.end(), {"--accept", id});
  return words;
}

Answer<deploy::Launch> launch_of(const std::string& name, const System& system,
                                 const Subject& subject, const deploy::Wish& wish,
                                 const deploy::PlanFiles& files) {
  auto made = deploy::launch_of(system, *subject.method, subject.verdict, wish, files);
  if (auto* launch = std::get_if<deploy::Launch>(&made)) return std::move(*launch);
  NoAnswer none;
  for (const Diagnostic& problem : std::get<std::vector<Diagnostic>>(made)) {
    none.problems.push_back({problem.message, problem.at.known() ? name : "", problem.at});
  }
  return none;
}

}  // namespace tactus::verbs
