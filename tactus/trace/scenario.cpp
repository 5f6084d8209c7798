#include "tactus/trace/scenario.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/random.hpp"
#include "tactus/trace/scenario_words.hpp"
#include "tactus/trace/script.hpp"

namespace tactus::trace {
namespace {

constexpr std::array<std::string_view, 5> kReleaseWords = {"sync", "offsets", "random", "sporadic",
                                                           "burst"};
constexpr std::array<std::string_view, 3> kLengthWords = {"worst", "uniform", "early"};
constexpr std::array<std::string_view, 4> kOrderWords = {"fifo", "lifo", "shuffled", "latest"};
constexpr std::array<std::string_view, 4> kLatenessWords = {"jitter-none", "jitter-uniform",
                                                            "jitter-late", "jitter-burst"};
constexpr std::string_view kPreemptiveWord = "preemptive";

/// Random numbers for one question about one task; distinct questions are independent.
enum class Question : std::uint64_t { kFirst, kGap, kLength, kLate };

Random random_for(std::uint64_t seed, Question question, std::uint64_t task, std::uint64_t a = 0,
                  std::uint64_t b = 0) {
  Random outer(seed, static_cast<std::uint64_t>(question) << 32 | task);
  return Random(outer.next(), a << 32 | b);
}

Time draw(Random& random, Time least, Time most) {
  return Time::from_ns(random.integer(least.ns(), most.ns()));
}

/// The shortest period, within which a burst is squeezed; zero without periods.
Time shortest_period(const System& system) {
  Time shortest = Time::max();
  for (const Task& task : system.tasks) {
    if (task.period) shortest = std::min(shortest, *task.period);
  }
  return shortest == Time::max() ? Time() : shortest;
}

}  // namespace

Time Scenario::first_release(const System& system, TaskIndex task) const {
  if (script) return script->release(task, 0).value_or(Time::max());
  Random random = random_for(seed, Question::kFirst, task);
  switch (releases) {
    case Releases::kSynchronous:
      return Time();
    case Releases::kOffsets:
      return system.tasks[task].offset;
    case Releases::kRandom:
    case Releases::kSporadic:
      return draw(random, Time(), system.tasks[task].period.value_or(Time()));
    case Releases::kBurst:
      return draw(random, Time(), Time::from_ns(shortest_period(system).ns() / 4));
  }
  return Time();
}

Time Scenario::gap_after(const System& system, TaskIndex task, std::uint32_t job) const {
  if (script) {
    return script->release(task, job + 1).value_or(Time::max()) -
           script->release(task, job).value_or(Time());
  }
  const Time period = *system.tasks[task].period;
  if (releases != Releases::kSporadic) return period;
  Random random = random_for(seed, Question::kGap, task, job);
  // Every second gap is as short as allowed: with long quiet times alone, bursts would not be seen.
  return random.chance(0.5) ? period
                            : period + draw(random, Time(), Time::from_ns(period.ns() / 2));
}

Time Scenario::late_by(const System& system, TaskIndex task, std::uint32_t job) const {
  const Time most = system.tasks[task].jitter;
  if (most == Time()) return most;
  const Piece piece{.part = Piece::Part::kRelease};
  const auto said = script ? script->time(task, job, piece, Time(), most) : std::nullopt;
  Time late;
  if (said) {
    late = *said;
  } else if (lateness != Lateness::kNone) {
    Random random =
        random_for(seed, Question::kLate, task, lateness == Lateness::kUniform ? job : 0);
    // In bursts, some tasks begin late and some at once.
    const bool at_once = lateness == Lateness::kBurst && (random.chance(0.5) ? 1 : 0) != job % 2;
    if (!at_once) late = lateness == Lateness::kUniform ? draw(random, Time(), most) : most;
  }
  return late;
}

Time Scenario::span_of(const System& system, std::uint32_t jobs) const {
  // With more jobs than this, an upper bound is good enough.
  constexpr std::uint32_t kMostDrawn = 1 << 20;
  const auto latest_end = [&](bool best_effort) {
    Time latest;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      const auto& period = system.tasks[task].period;
      if (!period || system.tasks[task].best_effort != best_effort) continue;
      if (script) {
        if (const auto last = script->last_release(task))
          latest = std::max(latest, *last + *period);
        continue;
      }
      Time end = first_release(system, task);
      if (releases != Releases::kSporadic) {
        latest = std::max(latest, end + *period * jobs);
        continue;
      }
      const Time longest_gap = *period + Time::from_ns(period->ns() / 2);
      if (end + longest_gap * jobs <= latest) continue;
      const std::uint32_t drawn = std::min(jobs, kMostDrawn);
      for (std::uint32_t job = 0; job < drawn; ++job) end += gap_after(system, task, job);
      latest = std::max(latest, end + longest_gap * (jobs - drawn));
    }
    return latest;
  };
  const Time real_time = latest_end(false);
  return real_time > Time() ? real_time : latest_end(true);
}

Time Scenario::length(TaskIndex task, std::uint32_t job, const Piece& piece, Time least,
                      Time most) const {
  const auto said = script ? script->time(task, job, piece, least, most) : std::nullopt;
  const Time time = said ? *said : drawn_length(task, job, piece.number, least, most);
  if (record) record->note_time(task, job, piece, time);
  return time;
}

Time Scenario::drawn_length(TaskIndex task, std::uint32_t job, std::uint32_t piece, Time least,
                            Time most) const {
  if (lengths == Lengths::kWorst || least == most) return most;
  Random random = random_for(seed, Question::kLength, task, job, piece);
  if (lengths == Lengths::kEarly) {
    if (!random.chance(0.25)) return most;
    return draw(random, least, least + Time::from_ns((most - least).ns() / 10));
  }
  return draw(random, least, most);
}

std::vector<std::string_view> scenario_words() {
  std::vector<std::string_view> words(kReleaseWords.begin(), kReleaseWords.end());
  words.insert(words.end(), kLengthWords.begin(), kLengthWords.end());
  words.insert(words.end(), kOrderWords.begin(), kOrderWords.end());
  words.insert(words.end(), kLatenessWords.begin(), kLatenessWords.end());
  words.push_back(kPreemptiveWord);
  return words;
}

Result<Scenario> parse_scenario(std::string_view text, std::uint64_t seed) {
  Scenario scenario;
  scenario.seed = seed;
  const auto place_in = [](const auto& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) - words.begin();
  };
  std::array<std::string_view, 4> said;  // when, how long, in which order, how late
  const auto say = [&](std::size_t what, std::string_view word) {
    const std::string_view before = std::exchange(said[what], word);
    return before.empty() || before == word
               ? std::string()
               : fmt::format("a scenario cannot be both {} and {}", quote(before), quote(word));
  };
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    start = end + 1;
    std::string contradiction;
    if (const auto r = place_in(kReleaseWords, word); r < std::ssize(kReleaseWords)) {
      scenario.releases = static_cast<Releases>(r);
      contradiction = say(0, word);
    } else if (const auto l = place_in(kLengthWords, word); l < std::ssize(kLengthWords)) {
      scenario.lengths = static_cast<Lengths>(l);
      contradiction = say(1, word);
    } else if (const auto o = place_in(kOrderWords, word); o < std::ssize(kOrderWords)) {
      scenario.order = static_cast<Order>(o);
      contradiction = say(2, word);
    } else if (const auto j = place_in(kLatenessWords, word); j < std::ssize(kLatenessWords)) {
      scenario.lateness = static_cast<Lateness>(j);
      contradiction = say(3, word);
    } else if (word == kPreemptiveWord) {
      scenario.preemptive = true;
    } else {
      const std::string meant = suggestion(word, scenario_words());
      if (!meant.empty()) {
        return Error{fmt::format("a scenario has no word {}{}", quote(word), meant)};
      }
      return Error{fmt::format("a scenario is made of {}, {}, {}, {} and {}, got {}",
                               fmt::join(kReleaseWords, "|"), fmt::join(kLengthWords, "|"),
                               fmt::join(kOrderWords, "|"), fmt::join(kLatenessWords, "|"),
                               kPreemptiveWord, quote(word))};
    }
    if (!contradiction.empty()) return Error{std::move(contradiction)};
  }
  return scenario;
}

std::string to_string(const Scenario& scenario) {
  const bool usual = scenario.lateness == Scenario().lateness;
  return fmt::format("{},{},{}{}{}{}", kReleaseWords[static_cast<std::size_t>(scenario.releases)],
                     kLengthWords[static_cast<std::size_t>(scenario.lengths)],
                     kOrderWords[static_cast<std::size_t>(scenario.order)], usual ? "" : ",",
                     usual ? "" : kLatenessWords[static_cast<std::size_t>(scenario.lateness)],
                     scenario.preemptive ? ",preemptive" : "");
}

Scenario random_scenario(std::uint64_t seed, std::uint64_t index) {
  Random random(seed, index);
  Scenario scenario;
  scenario.releases = static_cast<Releases>(random.integer(0, std::ssize(kReleaseWords) - 1));
  scenario.lengths = static_cast<Lengths>(random.integer(0, std::ssize(kLengthWords) - 1));
  scenario.order = static_cast<Order>(random.integer(0, std::ssize(kOrderWords) - 1));
  scenario.seed = random.next() % 1'000'000'000;  // short enough to type
  scenario.preemptive = random.chance(0.5);
  scenario.lateness = static_cast<Lateness>(random.integer(0, std::ssize(kLatenessWords) - 1));
  return scenario;
}

}  // namespace tactus::trace
