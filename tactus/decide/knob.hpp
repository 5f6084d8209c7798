#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/method.hpp"
#include "tactus/model/system.hpp"

/// What can be turned in a system to ask how far it still works: one number that makes it harder in
/// one direction and easier in the other.
namespace tactus::decide {

struct Knob {
  enum class What {
    kAllTimes,  ///< the times of all nodes together, in thousandths of the file's
    kNodeTime,  ///< the time of one node, in ns
    kPeriod,  ///< of a task, in ns; a deadline that is as long follows, and so do the tasks it starts
    kDeadline,      ///< of a task, in ns
    kJitter,        ///< of a task, in ns; where the file speaks of releases or chains
    kUnits,         ///< of an element
    kCost,          ///< of an element: an update or a switch, in ns
    kLongerPeriod,  ///< of a task that a chain with a limit waits for: the other direction
  };
  What what = What::kAllTimes;
  TaskIndex task = 0;
  NodeIndex node = 0;
  ElementIndex element = 0;
  std::optional<Time> Element::*cost = nullptr;  ///< of kCost

  friend bool operator==(const Knob&, const Knob&) = default;
};

/// In thousandths: the times as they are in the file.
inline constexpr std::int64_t kAsInFile = 1000;

/// Every knob of a system that makes sense, in the order in which people ask. `left_out` says why
/// there is none where one would expect it.
std::vector<Knob> knobs_of(const System& system, std::vector<std::string>* left_out = nullptr);

/// Why an element must keep its number of units: nothing is known of its nodes on another one, or
/// its tasks say which of them they are on. Empty where it may change.
std::string why_units_stay(const System& system, ElementIndex index);

/// "camera.detect.wcet", as `--set` names it; "all times" for all of them.
std::string name_of(const Knob& knob, const System& system);

/// What else is turned with it that a `--set` of the same name leaves as it is, and what that changes;
/// empty where both do the same.
std::string turned_along(const Knob& knob, const System& system);

/// Is a larger value harder?
bool grows_harder(const Knob& knob);
/// Is its value a time? Else it is a number of thousandths or of units.
bool is_time(const Knob& knob);
/// Is the method known to keep its order when this is turned, for verdicts such as this one?
bool is_monotone(const Knob& knob, const Method& method, const Verdict& verdict);

/// Its value in the file.
std::int64_t value_of(const Knob& knob, const System& system);
/// The values that make sense: from the easiest to the hardest, of which one is the file's.
struct Range {
  std::int64_t easiest = 0, hardest = 0;
};
Range range_of(const Knob& knob, const System& system);

/// Turns the knob of a system to that value; everything is rounded to the harder side. The result
/// keeps the rules of the file.
///
/// All that describes the time of a node goes with it: `wcet`, `load`, `times`, `launch` (where all
/// times are turned), and the completions of batches with its task. Fewer units of a GPU leave out
/// the points of `times` that need more, and whole-element times that no longer hold.
void turn(System& system, const Knob& knob, std::int64_t value);
/// Turns it back: the system is as `original` again, from which it differed by this knob only.
void turn_back(System& system, const System& original, const Knob& knob);
/// A copy with the knob at that value.
System turned(const System& system, const Knob& knob, std::int64_t value);

/// The same system, with the priorities written down that would be derived from deadlines: these
/// must not change under the hand of somebody who turns a deadline.
System with_fixed_priorities(System system);

}  // namespace tactus::decide
