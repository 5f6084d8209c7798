#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/model/system.hpp"

/// Many systems: what to draw, which methods judge it, and the results that a paper reports.
/// docs/use/experiments.md is the prose of the file; format.cpp its tables.
namespace tactus::experiment {

/// Settings of a recipe or options of a method, values as they were written.
using Words = std::map<std::string, std::string, std::less<>>;

/// The swept setting: every parameter in `set` takes each of `values` in turn. A name that begins
/// with "--" is an option of the methods instead; where nothing else is swept, all points have the
/// same sets. An experiment over files can have its points `by` what the files say instead.
struct Sweep {
  std::string label;
  std::vector<std::string> set, values;
  std::string by;  ///< "folder", or the path of a value in the file; own_sets.hpp

  friend bool operator==(const Sweep&, const Sweep&) = default;
};

/// Does that name of a sweep stand for an option of the methods?
bool is_option(std::string_view swept);

/// What was written as a number, such as a value of x; nothing when it is a word.
std::optional<double> to_double(std::string_view text);

/// A fixed alternative beside the sweep (a load, a number of SMs); each has all points of the
/// sweep.
struct Case {
  std::string name, label;
  Words set;

  friend bool operator==(const Case&, const Case&) = default;
};

/// One method on every set. It gives one curve for each of its variants.
struct Line {
  std::string name, label, method;
  std::vector<std::string> variants;
  Words options;
  std::string figure;  ///< of the verdict, where the experiment measures one
  /// Settings of the recipe for this line alone. They override those of the point; the seed is the
  /// same, so a recipe that has several forms of one draw gives this line another form of the set.
  Words set;
  std::string group;  ///< what several lines have in common; they are drawn in one colour

  friend bool operator==(const Line&, const Line&) = default;
};

/// What is measured of a set, and so what a point of a curve is.
enum class Measure {
  kAccepted,  ///< percent of the sets that the method accepts
  kBound,     ///< mean bound, ms; relative to that of another line where `relative_to` says so
  kFigure,    ///< mean of a figure of the verdict
  kTime,      ///< mean time of the analysis, ms
  /// Percent of accepted sets in which a simulated job misses its deadline (where there is none,
  /// its bound). For a variant other than `safe` only sets count that `safe` does not accept: what
  /// that variant promises beyond it.
  kMissed,
  kTightness,  ///< mean over the accepted sets of bound / longest simulated response
};

/// Is it found by simulating the accepted sets?
constexpr bool is_simulated(Measure measure) {
  return measure == Measure::kMissed || measure == Measure::kTightness;
}

std::string_view to_string(Measure measure);

/// How each accepted set is simulated, where the measure needs it.
struct Simulation {
  std::int64_t runs = 5;   ///< scenarios per set: the first synchronous and worst, the rest random
  std::int64_t jobs = 10;  ///< of the slowest task in a run

  friend bool operator==(const Simulation&, const Simulation&) = default;
};

/// What a paper reports: a number, an inequality, or that there is no bound.
struct Expected {
  enum class Relation { kNear, kLess, kAtMost, kGreater, kAtLeast, kNothing };
  Relation relation = Relation::kNear;
  double value = 0;
  std::string text;  ///< as written

  friend bool operator==(const Expected&, const Expected&) = default;
};

/// A statement of a paper, and how the same is computed from our points (expression.hpp).
/// How a claim came to be compared, and so what "inside" is worth.
enum class Basis {
  kPrinted,  ///< what the paper says, against what nothing was adjusted to
  kFitted,   ///< a free number was fitted to it
  kChosen,   ///< it is read in one of several ways, and another one disagrees
  kSample,   ///< not in the paper: a small sample that its authors published elsewhere
  kOwn,      ///< our own claim
};
std::string_view to_string(Basis basis);

struct Claim {
  std::string text, where, ours, unit;
  Expected paper;
  double tolerance = 0;
  std::string variant;    ///< the one that is judged; empty: paper if there is one, else safe
  std::string deviation;  ///< why our result is known to differ
  std::string test;       ///< the command that tests this explanation
  bool open = false;      ///< known to differ, and nobody knows why
  Basis basis = Basis::kPrinted;
  std::string basis_note;      ///< what was fitted, chosen among what, sampled where
  bool own_threshold = false;  ///< the paper gives no number: the one in `paper` is ours

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// How it is drawn.
struct Plot {
  std::string y;  ///< label of the y axis; empty: after the measure
  bool log_x = false, log_y = false;
  bool one_panel = false;             ///< all cases in one panel, instead of one panel per case
  std::vector<std::string> variants;  ///< to draw; empty: all
  std::vector<std::string> lines;     ///< to draw, by name; empty: all

  friend bool operator==(const Plot&, const Plot&) = default;
};

struct OwnSets;

struct Experiment {
  std::string name, title, paper, figure, note;
  std::string recipe;
  Words settings;
  /// Instead of a recipe: files with systems, as patterns, and what was found in them.
  std::vector<std::string> files;
  std::string cases_by;  ///< like `Sweep::by`, for cases
  std::shared_ptr<const OwnSets> own;
  Sweep sweep;
  std::vector<Case> cases;  ///< never empty once read: one without name stands for none
  /// Cases draw the same sets: they can be compared set by set.
  bool common_sets = false;
  /// Instead of a recipe: one given system. Its points are its real-time tasks.
  std::optional<System> system;
  std::int64_t sets = 1, seed = 1;
  /// Sets per point with which every claim comes out as with all sets; 0: the claims depend on the
  /// machine.
  std::int64_t check = 20;
  Simulation simulation;
  Measure measure = Measure::kAccepted;
  std::string figure_name;  ///< of the verdict, for `kFigure`
  std::string relative_to;  ///< a line
  std::vector<Line> lines;
  std::vector<Claim> claims;
  Plot plot;
};

/// One point of the sweep in one case: what its sets are drawn with.
struct Point {
  std::size_t index = 0;  ///< in the whole experiment: cases in order, values in order
  std::size_t case_index = 0;
  std::string x;
  Words settings;
  Words options;          ///< of those methods that have them
  std::size_t group = 0;  ///< of `Experiment::own`: where its systems are
  /// Of the recipe. It depends on the experiment's seed and name, the case and x, not on the place
  /// of the point: if points are left out, the others stay the same. Below 10^9, so that
  /// `tactus lab generate RECIPE --seed` draws the same sets.
  std::uint64_t seed = 0;
};
std::vector<Point> points_of(const Experiment& experiment);

/// A line in one of its variants.
struct Curve {
  std::size_t index = 0;  ///< lines in order, variants in order
  std::size_t line = 0;
  std::string variant;
};
std::vector<Curve> curves_of(const Experiment& experiment);

/// What the sets of that line are drawn with at that point.
Words settings_of(const Point& point, const Line& line);

/// The curve of a line in that variant or, if the line does not have it, in its first.
const Curve& curve_of(const std::vector<Curve>& curves, std::size_t line, std::string_view variant);

/// How many sets a point can have: as many as there are files, or as many as wanted.
std::int64_t most_sets(const Experiment& experiment, const Point& point);

struct ReadExperiment {
  std::optional<Experiment> experiment;  ///< nothing when there is an error
  std::vector<Diagnostic> diagnostics;
  std::vector<Error> elsewhere;  ///< what is wrong with other files, with their places
};

/// Where an experiment over files has its systems from.
struct SetsFrom {
  std::string folder = {};                    ///< that its patterns begin at; empty: this one
  std::shared_ptr<const OwnSets> known = {};  ///< instead: a store has them
};

/// Reads and checks the text of an experiment file: everything, down to whether its expressions
/// make sense and sets can be drawn at every point, or read from files.
ReadExperiment read_experiment(std::string text, const SetsFrom& from = {});

/// The JSON Schema of the experiment file.
std::string experiment_schema();

/// What decides the results, as text: two experiments with the same key have the same sets and
/// verdicts. Labels and claims are not part of it, nor are the number of sets and the systems of
/// files, which are compared one by one.
std::string key_of(const Experiment& experiment);

}  // namespace tactus::experiment
