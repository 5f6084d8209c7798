#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/base/result.hpp"
#include "tactus/methods/behaviour.hpp"
#include "tactus/methods/look.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// What can be PROVED. A method is one entry of the registry, which holds all that other rooms need
/// to know about it: they read it there, and never use its id. To add one, see CONTRIBUTING.md.
namespace tactus {

inline constexpr std::string_view kSafe = "safe";

/// An option of a method beyond its variant, given as `--name value`.
struct OptionSpec {
  std::string_view name;
  /// "a|b" for a choice (the first is the default), "N" for a count, empty for a flag, else text.
  std::string_view value;
  std::string_view doc;
};

class Views;

struct Options {
  std::string variant{kSafe};
  /// By `OptionSpec::name`, as far as given; a flag that is given is "on".
  std::map<std::string, std::string, std::less<>> settings;
  int threads = 1;
  /// False: a plan that the verdict does not need may be left out, if making it costs time.
  bool plan = true;
  /// False: the terms and details of the bounds will not be read and may be left out.
  bool terms = true;
  /// The task whose terms will be read one by one: what is else summed over tasks stays apart.
  std::optional<TaskIndex> explain = {};
  /// What families have made of the system already, for the next method that looks at it. Null:
  /// nothing is kept. `analyze_many` (many.hpp) and whoever asks several methods set it.
  Views* views = nullptr;
  /// Asks a long search to stop; it then answers "undecided".
  std::stop_token stop;
  /// Called from time to time with the progress of a long search; may be empty.
  std::function<void(std::string_view)> progress;

  /// The value of a setting, or `otherwise` if it is not given.
  std::string_view get(std::string_view name, std::string_view otherwise = {}) const {
    const auto found = settings.find(name);
    return found == settings.end() ? otherwise : std::string_view(found->second);
  }
};

/// Thrown inside a method where an input is too large for the memory or time a tool may take; says
/// what was too large. It never leaves the library: `tactus::analyze` makes it "undecided".
class LimitReached : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked to stop, and there is nothing to say yet.
class Stopped : public LimitReached {
 public:
  Stopped() : LimitReached("interrupted") {}
  static void check(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Stopped();
  }
};

/// An option's value that must be a plain decimal number ("2", "0.25"; no sign, no exponent), times
/// 10^scale and rounded up; nothing if it is not such a number.
std::optional<std::int64_t> plain_decimal(std::string_view text, int scale);

/// Thrown inside a method for an option without sense. It never leaves the library: `try_analyze`
/// makes it an `Error`.
class BadOption : public std::runtime_error {
 public:
  explicit BadOption(const std::string& problem) : std::runtime_error(problem) {}
  BadOption(std::string_view name, std::string_view expected, std::string_view got);
};

/// Where a method is known to keep its order: a system that is harder in this respect, and equal
/// else, is never proved when the easier one was not. `tests/decide` tries each claim.
struct Monotone {
  bool times = false;      ///< longer times of nodes
  bool periods = false;    ///< shorter periods
  bool deadlines = false;  ///< shorter deadlines
  bool units = false;      ///< fewer units of an element
  bool costs = false;      ///< dearer updates and switches
};

/// An analysis that needs more than a function: a command that is asked, a function of another
/// language, a guard around somebody else's code.
class Analyst {
 public:
  virtual ~Analyst() = default;
  /// As `Method::analyze`; several threads may ask at a time.
  virtual Verdict analyze(const System& system, const Options& options) const = 0;
};

/// @pre in `analyze`: the system came from `read_system`, and the variant is one of `variants`.
struct Method {
  std::string_view id;
  std::string_view title;
  std::string_view paper;
  std::string_view assumes;  ///< of the system file
  std::string_view needs;    ///< of the run time, so that the bound holds
  std::span<const std::string_view> variants;
  bool makes_plan = false;
  Verdict (*analyze)(const System&, const Options&) = nullptr;
  std::span<const OptionSpec> options = {};
  /// Re-verifies the JSON object of a plan with code that shares nothing with the planner, and says
  /// which conditions fail. System and method have been compared already. Null: cannot check.
  std::vector<std::string> (*check_plan)(const System&, const json::Value& plan) = nullptr;
  /// The inverse of `Plan::write_fields`: the verdict that the JSON object of a plan describes,
  /// with the plan and the bounds that belong to it, all as stated. Use `read_plan_file`
  /// (plan_file.hpp), which also checks. @throws plan_source::Malformed.
  Verdict (*read_plan)(const System&, const json::Value& plan) = nullptr;
  /// Is this JSON object a plan written by hand, which need not say where it comes from? Null:
  /// plans of this method are never written by hand.
  bool (*by_hand)(const json::Value& plan) = nullptr;
  Behaviour behaviour = {};  ///< at run time: what is simulated and executed
  Look look = {};            ///< in figures
  /// It follows every job, so that "no job is late" is an answer: `Verdict::missed` is written even
  /// if it is empty.
  bool follows_jobs = false;
  Monotone monotone = {};
  const Analyst* analyst = nullptr;  ///< where there is one, it is asked instead of `analyze`
  /// Where a method comes from that is not part of Tactus: its command, its file. Results of
  /// methods that differ in this are never mixed.
  std::string_view origin = {};
  /// The status that `analyze` would give, found with less work: no bound is written down. Nothing
  /// where `analyze` must be asked, because there is a reason to give (it does not apply, a limit was
  /// reached). It may throw what `analyze` may throw. Null: there is no shorter way. Ask through
  /// `Survey` (many.hpp).
  std::optional<Status> (*decide)(const System&, const Options&) = nullptr;
};

/// Every method, in the order in which they are shown.
std::span<const Method* const> registry();

/// Adds somebody's own method to the registry, behind the others, or says why it cannot be added.
/// It must outlive the use of the library. Others may read the registry at the same time; what they
/// have got from it stays valid.
std::optional<Error> add_method(const Method& method);

/// The method with that id, or null. An extension after a "+" is left to the method.
const Method* find_method(std::string_view id);

/// The methods that a comma-separated list of ids and wildcards (`gcaps.*`, `all`) names, in the
/// order of the registry; or which part of it names none.
Result<std::vector<const Method*>> select_methods(std::string_view list);

/// Runs one method; an error if an option has a value without sense, which is the caller's
/// mistake and says nothing about the system. A variant that the method does not have is "not
/// applicable"; an overflow of the 64-bit time and a limit that was reached are "undecided".
/// Nothing is thrown.
Result<Verdict> try_analyze(const Method& method, const System& system, const Options& options);

/// The same for callers whose options are known to be good (the defaults, those of a checked
/// experiment): if one is bad anyway, the answer is "not applicable".
Verdict analyze(const Method& method, const System& system, const Options& options = {});

/// Which method made a plan, given its JSON object, if the plan is complete and was made for
/// exactly this system; otherwise why it must not be used.
Result<const Method*> plan_maker(const json::Value& plan, const System& system);

}  // namespace tactus
