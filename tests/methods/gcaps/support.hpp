#pragma once

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/method.hpp"
#include "tactus/model/system.hpp"
#include "tests/support/read.hpp"
#include "tests/support/scaled.hpp"

/// What all tests of the ten methods need: their names, a way to write down small systems, and a
/// way to ask for a bound.
namespace tactus::gcaps::tests {

inline constexpr std::array<std::string_view, 10> kMethods = {
    "gcaps.suspend", "gcaps.busy",   "gcaps.suspend.prio", "gcaps.busy.prio", "tsg-rr.suspend",
    "tsg-rr.busy",   "mpcp.suspend", "mpcp.busy",          "fmlp.suspend",    "fmlp.busy"};
/// Those that all of them have.
inline constexpr std::array<std::string_view, 3> kAllVariants = {"safe", "safe-arbiter", "paper"};
/// No variant of the program: `safe`, with finer windows.
inline constexpr std::string_view kWindows = "windows";
/// All of one of them, and finer windows where it has them.
inline std::vector<std::string_view> variants_of(std::string_view id) {
  const Method& method = *find_method(id);
  std::vector<std::string_view> all(method.variants.begin(), method.variants.end());
  if (!method.options.empty()) all.push_back(kWindows);
  return all;
}
inline Options options_of(std::string_view variant) {
  Options options;
  options.variant = variant == kWindows ? kSafe : variant;
  if (variant == kWindows) options.settings[std::string(kWindows)] = "on";
  return options;
}

/// One million nanoseconds a millisecond; literals of the tests are in milliseconds.
inline constexpr std::int64_t kMs = 1'000'000;

/// The whole milliseconds and microseconds of a decimal such as 72.336, exactly.
constexpr Time ms(std::int64_t whole, std::int64_t micro = 0) {
  return Time::from_ns(whole * kMs + micro * 1'000);
}

inline Verdict run(std::string_view method, const System& system, std::string_view variant) {
  return analyze(*find_method(method), system, options_of(variant));
}

using support::read;
using support::scaled;

inline const TaskVerdict* find(const Verdict& verdict, const System& system,
                               std::string_view task) {
  for (const TaskVerdict& entry : verdict.tasks) {
    if (system.tasks[entry.task].name == task) return &entry;
  }
  return nullptr;
}

inline Time sum(const std::vector<Term>& terms) {
  Time all;
  for (const Term& term : terms) all += term.amount;
  return all;
}

/// A system being written down: one cpu, one gpu, tasks added from the highest priority to the
/// lowest. Times are in milliseconds.
///
///     Sketch s(2);                                    // two cores
///     s.runlist_update("1");
///     s.task("a", 1, "100", "2, 3+5, 1");             // CPU 2, launch 3 then GPU 5, CPU 1
///     s.best_effort("b", 2, "", "4, 0+7");            // no period
///     System system = s.system();
class Sketch {
 public:
  explicit Sketch(int cores) : cores_(cores) {}

  Sketch& runlist_update(std::string_view time) { return overhead("runlist_update", time); }
  Sketch& context_switch(std::string_view time) { return overhead("context_switch", time); }
  Sketch& time_slice(std::string_view time) { return overhead("time_slice", time); }

  Sketch& preemption_delay(std::string_view time) { return overhead("preemption_delay", time); }
  Sketch& arbiter_core(std::string_view core) { return overhead("arbiter_core", core); }

  /// Any other attribute of the gpu.
  Sketch& cost(std::string_view key, std::string_view time) { return overhead(key, time); }

  /// `more` are further members of the task, e.g. `"gpu_priority":3`.
  Sketch& task(std::string_view name, int core, std::string_view period, std::string_view work,
               std::string_view more = {}) {
    const std::string priority = R"("priority":)" + std::to_string(next_priority_--);
    return add(name, core, period, work,
               more.empty() ? priority : priority + "," + std::string(more));
  }
  Sketch& best_effort(std::string_view name, int core, std::string_view period,
                      std::string_view work) {
    return add(name, core, period, work, R"("best_effort":true)");
  }

  std::string text() const {
    return R"({"tactus":1,"name":"sketch","time_unit":"ms","platform":{"elements":[)"
           R"({"name":"cpu","kind":"cpu","units":)" +
           std::to_string(cores_) + R"(},{"name":"gpu","kind":"gpu","units":1)" + overheads_ +
           R"(}]},"tasks":[)" + tasks_ + "]}";
  }
  System system() const { return read(text()); }

 private:
  Sketch& overhead(std::string_view key, std::string_view time) {
    overheads_ += ",\"" + std::string(key) + "\":" + std::string(time);
    return *this;
  }

  Sketch& add(std::string_view name, int core, std::string_view period, std::string_view work,
              const std::string& more) {
    if (!tasks_.empty()) tasks_ += ",\n";
    tasks_ += "{\"name\":\"" + std::string(name) + "\",\"core\":" + std::to_string(core);
    if (!period.empty()) tasks_ += ",\"period\":" + std::string(period);
    tasks_ += "," + more + ",\"nodes\":[";
    int count = 0;
    for (std::size_t start = 0; start < work.size(); ++count) {
      const std::size_t end = std::min(work.find(',', start), work.size());
      std::string piece(work.substr(start, end - start));
      std::erase(piece, ' ');
      start = end + 1;
      const std::size_t plus = piece.find('+');
      if (count > 0) tasks_ += ",";
      tasks_ += "{\"name\":\"n" + std::to_string(count + 1) + "\",\"on\":";
      tasks_ += plus == std::string::npos ? "\"cpu\",\"wcet\":" + piece + "}"
                                          : "\"gpu\",\"launch\":" + piece.substr(0, plus) +
                                                ",\"wcet\":" + piece.substr(plus + 1) + "}";
    }
    tasks_ += "]}";
    return *this;
  }

  int cores_;
  int next_priority_ = 100;
  std::string overheads_, tasks_;
};

/// The bound of one task in nanoseconds, -1 where there is none.
inline std::int64_t bound_ns(std::string_view method, const System& system,
                             std::string_view variant, std::string_view task) {
  const Verdict verdict = run(method, system, variant);
  const TaskVerdict* entry = find(verdict, system, task);
  return entry != nullptr && entry->bound ? entry->bound->ns() : -1;
}

}  // namespace tactus::gcaps::tests
