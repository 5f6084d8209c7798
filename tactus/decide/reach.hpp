#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tactus/decide/knob.hpp"
#include "tactus/methods/method.hpp"

/// How far a knob can be turned until a method no longer proves every deadline.
namespace tactus::decide {

/// Why a value does not do.
struct Breaks {
  Status status = Status::kUnschedulable;
  std::optional<TaskIndex> task;  ///< whose deadline is not proved, first
  std::optional<std::size_t> chain =
      {};                   ///< where every task is in time: that is too long, the first
  std::string reason = {};  ///< where no task is to blame
};

struct Reach {
  Knob knob;
  std::int64_t now = 0;
  /// The furthest value, towards the harder side, at which every deadline is proved. Where the file
  /// itself is not proved: the value nearest to it that is. Nothing where none was found.
  std::optional<std::int64_t> holds;
  /// The value next to it that was tried and does not do. Nothing where all do, up to the end.
  std::optional<std::int64_t> fails;
  Breaks breaks;  ///< at `fails`
  /// Every value on this side of `holds` does, and `fails` is the very next one: the method is
  /// monotone here, or each value was tried. Else only the two values themselves are verified.
  bool exact = false;
  bool stopped = false;  ///< before the end: interrupted, or out of time

  bool needs_change = false;  ///< the file itself is not proved
};

/// Asks a method about systems near one system.
class Prober {
 public:
  /// What is asked again and again; terms and plans are left out where they can be.
  Prober(const Method& method, const System& system, Options options);

  const Method& method() const { return method_; }
  const System& system() const { return system_; }
  const Verdict& verdict() const { return verdict_; }  ///< on the system itself
  bool proved() const { return verdict_.status == Status::kSchedulable; }
  std::int64_t analyses() const { return analyses_; }

  /// Does the method prove every deadline with the knob at that value?
  bool holds(const Knob& knob, std::int64_t value);
  /// Why it does not.
  Breaks breaks(const Knob& knob, std::int64_t value);
  Reach reach(const Knob& knob);

 private:
  Reach reach_exact(const Knob& knob, Reach reach, std::int64_t far);
  Reach reach_tried(const Knob& knob, Reach reach, std::int64_t far);
  bool stopped() const { return options_.stop.stop_requested(); }

  const Method& method_;
  System system_;
  /// The same, except while a knob is turned: a copy per question would take longer.
  System changed_;
  Options options_;
  Verdict verdict_;
  std::int64_t analyses_ = 0;
};

/// The first task, in the order the method looks at them, whose deadline a verdict does not prove.
Breaks breaks_of(const Verdict& verdict);

}  // namespace tactus::decide
