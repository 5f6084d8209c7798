#include "tactus/decide/spoken_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json_number.hpp"

namespace tactus::decide {
namespace {

constexpr std::string_view kForm = "NAME RATE, TIME GPU, TIME CPU, deadline TIME";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Words, with a number and the unit behind it taken apart: "33ms" is "33" and "ms".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      open = false;
      continue;
    }
    const auto digit = [](char d) {
      return std::isdigit(static_cast<unsigned char>(d)) != 0 || d == '.';
    };
    const bool unit_begins = open && std::isalpha(static_cast<unsigned char>(c)) != 0 &&
                             std::all_of(words.back().begin(), words.back().end(), digit);
    if (!open || unit_begins) words.emplace_back();
    open = true;
    words.back() += c;
  }
  return words;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

bool is_number(std::string_view word) {
  return !word.empty() && (std::isdigit(static_cast<unsigned char>(word.front())) != 0 ||
                           word.front() == '.' || word.front() == '-');
}

/// The power of ten of nanoseconds.
std::optional<int> scale_of(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, int>, 4> kUnits = {
      {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}}};
  for (const auto& [name, scale] : kUnits) {
    if (name == unit) return scale;
  }
  return std::nullopt;
}

/// What is left of a part, word by word.
class Reader {
 public:
  explicit Reader(std::string_view part) : words_(words_of(part)) {}

  bool done() const { return next_ == words_.size(); }
  std::string word() const { return done() ? "" : words_[next_]; }
  std::string take() { return done() ? "" : words_[next_++]; }
  bool take(std::string_view expected) {
    if (lower(word()) != expected) return false;
    ++next_;
    return true;
  }

  /// A time with or without a unit.
  Result<Time> time(Rounding rounding) {
    const std::string number = take();
    int scale = 6;
    if (const auto unit = scale_of(lower(word()))) {
      scale = *unit;
      ++next_;
    }
    const auto value =
        is_json_number(number) ? parse_scaled(number, scale, rounding) : std::nullopt;
    if (!value || value->value < 0) {
      return Error{fmt::format("expected a time such as `8 ms`, got {}", quote(number))};
    }
    return Time::from_ns(value->value);
  }

  /// The period that so many jobs a second have.
  Result<Time> rate() {
    constexpr std::int64_t kMicro = 1'000'000, kSecond = 1'000'000'000;
    const std::string number = take();
    const ScaledDecimal hertz =
        is_json_number(number) ? parse_scaled(number, 6, Rounding::kUp).value_or(ScaledDecimal())
                               : ScaledDecimal();
    const bool kilo = lower(word()) == "khz";
    if (!take("hz") && !take("khz")) {
      return Error{fmt::format("expected a rate such as `30 Hz`, got {}", quote(number))};
    }
    if (hertz.value <= 0) {
      return Error{fmt::format("expected a rate above 0, got {}", quote(number))};
    }
    const __int128 micro = static_cast<__int128>(hertz.value) * (kilo ? 1000 : 1);
    const auto period = static_cast<std::int64_t>(static_cast<__int128>(kSecond) * kMicro / micro);
    if (period == 0) return Error{fmt::format("{} Hz is too fast", number)};
    return Time::from_ns(period);
  }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

std::optional<Error> take_rhythm(Reader& in, Task& task) {
  if (in.take("best")) {
    if (!in.take("effort")) return Error{"expected `best effort`"};
    task.best_effort = true;
    return std::nullopt;
  }
  const bool every = in.take("every");
  auto period = every ? in.time(Rounding::kDown) : in.rate();
  if (!period) return period.error();
  if (*period <= Time()) return Error{"the time between two jobs must be above 0"};
  task.period = *period;
  return std::nullopt;
}

std::string name_for(const Task& task, std::string_view stem) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(task.nodes.begin(), task.nodes.end(),
                       [&](const Node& node) { return node.name == name; });
  };
  std::string name(stem);
  for (int k = 2; taken(name); ++k) name = fmt::format("{}_{}", stem, k);
  return name;
}

/// "8 ms GPU", "net 8 ms GPU", "deadline 33", "jitter 4".
std::optional<Error> take_part(std::string_view part, Task& task, const SpokenElements& elements) {
  Reader in(part);
  const bool deadline = in.take("deadline");
  if (deadline || in.take("jitter")) {
    const auto time = in.time(deadline ? Rounding::kDown : Rounding::kUp);
    if (!time) return time.error();
    if (task.best_effort) return Error{"a best-effort task has no deadline and no jitter"};
    if (deadline ? task.deadline.has_value() : task.jitter > Time()) {
      return Error{fmt::format("`{}` is said twice", deadline ? "deadline" : "jitter")};
    }
    if (in.done()) {
      (deadline ? task.deadline.emplace() : task.jitter) = *time;
      return std::nullopt;
    }
  } else {
    std::string name = is_number(in.word()) ? "" : in.take();
    const auto time = in.time(Rounding::kUp);
    if (!time) return time.error();
    if (in.take("on")) in.take("the");
    const std::string where = lower(in.take());
    const std::optional<ElementIndex> on = where == "gpu"    ? std::optional(elements.gpu)
                                           : where == "cpu"  ? std::optional(elements.cpu)
                                           : where == "copy" ? std::optional(elements.copy)
                                                             : std::nullopt;
    if (!on) return Error{fmt::format("expected `GPU`, `CPU` or `copy`, got {}", quote(where))};
    if (in.done()) {
      Node node;
      node.name = name_for(task, name.empty() ? where : name);
      node.on = *on;
      node.wcet = *time;
      task.nodes.push_back(std::move(node));
      return std::nullopt;
    }
  }
  return Error{fmt::format("{} is one word too many", quote(in.word()))};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// "camera > planner > wheel", as tasks.
std::optional<Error> take_tasks(std::string_view names, const System& system, Chain& chain) {
  for (std::size_t start = 0; start <= names.size();) {
    const std::size_t end = std::min(names.find('>', start), names.size());
    const std::string_view name = trimmed(names.substr(start, end - start));
    const auto task = std::find_if(system.tasks.begin(), system.tasks.end(),
                                   [&](const Task& one) { return one.name == name; });
    if (task == system.tasks.end()) {
      return Error{fmt::format("there is no task {}", quote(name))};
    }
    chain.tasks.push_back(static_cast<TaskIndex>(task - system.tasks.begin()));
    start = end + 1;
  }
  if (chain.tasks.size() < 2) return Error{"a chain has two tasks or more: `camera > planner`"};
  return std::nullopt;
}

/// "reaction 400 ms", "age 300", "400 ms".
std::optional<Error> take_limit(std::string_view part, Chain& chain) {
  Reader in(part);
  const bool age = in.take("age");
  if (!age) in.take("reaction");
  const auto limit = in.time(Rounding::kDown);
  if (!limit) return limit.error();
  if (!in.done()) return Error{fmt::format("{} is one word too many", quote(in.word()))};
  std::optional<Time>& place = age ? chain.age : chain.reaction;
  if (place) return Error{fmt::format("`{}` is said twice", age ? "age" : "reaction")};
  place = *limit;
  return std::nullopt;
}

}  // namespace

Result<Chain> spoken_chain(std::string_view words, const System& system) {
  const auto wrong = [&](std::string_view problem) {
    return Error{
        fmt::format("chain {}: {} (the form is: NAME: TASK > TASK, TIME)", quote(words), problem)};
  };
  std::vector<std::string_view> parts = parts_of(words);
  Chain chain;
  if (const std::size_t colon = parts.front().find(':'); colon != std::string_view::npos) {
    chain.name = trimmed(parts.front().substr(0, colon));
    parts.front().remove_prefix(colon + 1);
  }
  if (auto problem = take_tasks(parts.front(), system, chain)) return wrong(problem->message);
  for (const std::string_view part : std::span(parts).subspan(1)) {
    if (auto problem = take_limit(part, chain)) return wrong(problem->message);
  }
  if (!chain.reaction && !chain.age) return wrong("it has no limit: say `400 ms`");
  if (chain.name.empty()) {
    chain.name = fmt::format("{} to {}", system.tasks[chain.tasks.front()].name,
                             system.tasks[chain.tasks.back()].name);
  }
  return chain;
}

Result<Task> spoken_task(std::string_view words, const SpokenElements& elements) {
  const auto wrong = [&](std::string_view problem) {
    return Error{fmt::format("task {}: {} (the form is: {})", quote(words), problem, kForm)};
  };
  const std::vector<std::string_view> parts = parts_of(words);
  Reader first(parts.front());
  Task task;
  task.name = first.take();
  if (task.name.ends_with(':')) task.name.pop_back();
  if (task.name.empty()) return wrong("it has no name");
  if (is_number(task.name)) return wrong("it must begin with a name");
  if (auto problem = take_rhythm(first, task)) return wrong(problem->message);
  if (!first.done()) {
    return wrong(fmt::format("expected a comma before {}", quote(first.word())));
  }
  for (const std::string_view part : std::span(parts).subspan(1)) {
    if (auto problem = take_part(part, task, elements)) return wrong(problem->message);
  }
  if (task.nodes.empty()) return wrong("it has no work: say `8 ms GPU` or `2 ms CPU`");
  return task;
}

}  // namespace tactus::decide
