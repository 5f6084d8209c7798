#include "tactus/cli/budget.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "tactus/base/unfinished.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// Verbs that start other programs, or use a GPU, have no limit: we cannot know what these need.
constexpr Budget kBudgets[] = {
    {"init", 8, minutes(60)},
    {"check", 8, minutes(10)},
    {"import", 8, minutes(60)},
    {"export", 8, minutes(10)},
    {"methods", 1, minutes(1)},
    {"explain", 1, minutes(1)},
    {"analyze", 8, minutes(60)},
    {"slack", 8, minutes(60)},
    {"advise", 8, minutes(60)},
    {"reserve", 8, minutes(60)},
    {"plan", 8, minutes(60)},
    {"simulate", 8, minutes(60)},
    {"run", 0, {}},
    {"deploy", 8, minutes(60)},
    {"doctor", 0, {}},
    {"tiers", 0, {}},
    {"exec", 0, {}},
    {"top", 0, {}},
    {"validate", 16, hours(24)},
    {"generate", 8, hours(24)},
    {"reproduce", 16, hours(7 * 24)},
    {"results", 8, minutes(60)},
    {"plot", 8, minutes(60)},
    {"report", 8, minutes(60)},
    {"serve", 8, {}},
    {"watch", 8, {}},
    {"schema", 1, minutes(1)},
    {"gpu", 0, {}},
    {"measure", 0, {}},
    {"completion", 1, minutes(1)},
};

std::chrono::seconds time_left{};
// Prepared, because nothing can be allocated when it is used.
char out_of_memory[200] = "tactus: out of memory\n";
char out_of_time[200] = "tactus: out of time\n";

[[noreturn]] void end_with(const char* line) {
  unfinished::remove_all();
  [[maybe_unused]] const auto told = ::write(STDERR_FILENO, line, std::strlen(line));
  ::_exit(kUnknown);
}

/// No memory can be allocated any more, in any thread or library: say so and end. New files are
/// written beside the old ones, which stay as they were.
[[noreturn]] void give_up() { end_with(out_of_memory); }

template <std::size_t size>
void put(char (&room)[size], const std::string& text) {
  if (text.size() < size) std::copy_n(text.c_str(), text.size() + 1, room);
}

/// The last resort: the work was asked to stop and had a minute for it.
void limit_time(std::string_view verb, std::chrono::seconds most) {
  time_left = most;
  if (most.count() == 0) return;
  constexpr std::chrono::seconds kGrace{60};
  put(out_of_time, fmt::format("tactus: out of time: {} may take {} s; TACTUS_TIME gives it more\n",
                               verb, most.count()));
  std::signal(SIGALRM, [](int) { end_with(out_of_time); });
  ::alarm(static_cast<unsigned>((most + kGrace).count()));
}

/// A number of the environment instead of the verb's own; nothing if it is not a number.
std::optional<std::int64_t> from_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  std::int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, problem] = std::from_chars(text, end, number);
  constexpr std::int64_t kMost = 1'000'000'000;
  if (problem == std::errc() && rest == end && number >= 0 && number <= kMost) return number;
  complain(fmt::format("tactus: {} must be a whole number from 0 to {}, got {}", name, kMost,
                       quote(text)));
  return std::nullopt;
}

void limit_memory(std::int64_t gib) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return;  // they reserve far more than a program uses
#endif
  struct rlimit limit {};
  const rlim_t bytes = static_cast<rlim_t>(gib) << 30;
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= bytes) return;
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace

Budget budget_of(std::string_view verb) {
  const auto found = std::find_if(std::begin(kBudgets), std::end(kBudgets),
                                  [&](const Budget& one) { return one.verb == verb; });
  return found == std::end(kBudgets) ? Budget{} : *found;
}

bool keep_budget(std::string_view verb) {
  const Budget budget = budget_of(verb);
  const auto memory = from_environment("TACTUS_MEMORY", budget.memory_gib);
  const auto time = from_environment("TACTUS_TIME", budget.time.count());
  if (!memory || !time) return false;
  limit_time(verb, std::chrono::seconds(*time));
  if (budget.memory_gib > 0 && *memory > 0) {
    put(out_of_memory,
        fmt::format("tactus: out of memory: {} may take {} GiB; TACTUS_MEMORY gives it more\n",
                    verb, *memory));
    limit_memory(*memory);
  }
  std::set_new_handler(give_up);
  unfinished::remove_all_at_signals();
  return true;
}

void describe(StopAfter& stop, Fields& is) {
  is("stop_after", stop.seconds, "Stop after so many seconds, and keep what is done").range(1);
}

void keep(const StopAfter& stop) {
  if (stop.seconds > 0) limit_time(stop.verb, std::chrono::seconds(stop.seconds));
}

std::chrono::seconds time_budget() { return time_left; }

std::string budget_text(const Budget& budget) {
  const std::string memory = budget.memory_gib == 0
                                 ? "memory without limit"
                                 : fmt::format("{} GiB of memory", budget.memory_gib);
  const auto whole = std::chrono::duration_cast<minutes>(budget.time).count();
  const std::string time = whole == 0        ? "time without limit"
                           : whole % 60 == 0 ? fmt::format("{} h", whole / 60)
                                             : fmt::format("{} min", whole);
  return memory + ", " + time;
}

}  // namespace tactus::cli
