#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/many.hpp"

namespace tactus::experiment {

/// What one curve says about one set.
struct CurveVerdict {
  Status status = Status::kNotApplicable;
  std::optional<std::int64_t>
      value;  ///< by the measure: a bound in ns, a figure, what was simulated
  /// Processor time of the analysis, which no other program of the machine prolongs; the family's
  /// view of the system counts for the first curve that needs it. Nothing where it was not taken.
  std::optional<std::int64_t> ns = {};
  bool judged = true;  ///< else nothing is known yet: the line was added later

  friend bool operator==(const CurveVerdict&, const CurveVerdict&) = default;
};

/// Why a curve does not apply to a set.
struct CurveReason {
  std::size_t curve = 0;
  std::string reason;

  friend bool operator==(const CurveReason&, const CurveReason&) = default;
};

/// What is found about one set.
struct JudgedSet {
  std::int64_t experiment = 0, point = 0, set = 0;
  std::int64_t utilisation = 0;              ///< in millionths
  std::optional<std::int64_t> draw_ns = {};  ///< time to draw it, where it was taken
  std::vector<CurveVerdict> curves;
  std::vector<CurveReason> reasons = {};
  bool added = false;  ///< the other curves of this set were judged before

  friend bool operator==(const JudgedSet&, const JudgedSet&) = default;
};

/// Some of the curves: [curve] says whether it is one of them.
using CurveSet = std::vector<bool>;

/// Draws and judges the sets of one experiment. Nothing in it changes, so threads share it.
class Judge {
 public:
  explicit Judge(const Experiment& experiment);

  /// Nothing if `stop` was requested: a method that is interrupted answers "undecided", which is
  /// not a result.
  std::optional<JudgedSet> operator()(std::size_t point, std::int64_t set,
                                      const std::stop_token& stop) const;

  /// The same for one set of a point after the other, on one thread, with less work for each. Asking
  /// for the time takes as long as some analyses. So where a set is judged fast, no times are taken of
  /// the next few, unless it is times that the experiment is about.
  class AtPoint {
   public:
    /// @param only the curves to judge; none: all
    AtPoint(const Judge& judge, std::size_t point, const std::stop_token& stop,
            const CurveSet& only = {});
    std::optional<JudgedSet> operator()(std::int64_t set);

   private:
    /// The curves that see a set in the same form, and what that form is drawn with.
    struct Form {
      Form(std::vector<std::size_t> of, std::vector<Question> questions)
          : curves(std::move(of)), survey(std::move(questions)) {}

      std::vector<std::size_t> curves;
      Survey survey;
      std::optional<Settings> settings;  ///< where sets are drawn
    };
    /// The set in that form; `drawn` keeps it where it is drawn.
    const System& system_of(Form& form, std::int64_t set, System& drawn) const;
    /// Time of this thread, or of the clock if other programs may be asked; 0 if nobody wants it.
    std::int64_t now() const;
    /// False if it was interrupted.
    bool ask(Form& form, const System& system, JudgedSet& judged) const;
    std::optional<JudgedSet> judge(std::int64_t set);

    const Judge& judge_;
    const Point& point_;
    std::stop_token stop_;
    std::vector<std::unique_ptr<Form>> forms_;  ///< that of the first line is the first
    bool all_asked_ = true;                     ///< no curve is known already
    int untimed_ = 0;                           ///< sets from now on whose times are not taken
  };

  const Experiment& experiment() const { return experiment_; }
  const std::vector<Point>& points() const { return points_; }
  const std::vector<Curve>& curves() const { return curves_; }

 private:
  Question question(std::size_t curve, const Point& point, const std::stop_token& stop) const;
  /// The curves of `only`, with all others of their lines where one needs the verdict of another.
  std::vector<std::size_t> needed(const CurveSet& only) const;
  /// What the experiment wants to know of a verdict; without the time.
  CurveVerdict measure(const System& system, const Point& point, const Curve& curve,
                       const Verdict& verdict) const;

  /// Does the set count for that curve, where accepted sets are simulated?
  bool simulates(std::size_t curve, const JudgedSet& judged, const System& system) const;

  const Experiment& experiment_;
  std::vector<Point> points_;
  std::vector<Curve> curves_;
  const Recipe* recipe_;                ///< null: the systems are given
  std::vector<const Method*> methods_;  ///< of each curve
  bool asks_others_ = false;            ///< a method may be another program
};

/// Sum over the tasks of all execution times divided by the period, in millionths, rounded down.
std::int64_t utilisation_of(const System& system);

}  // namespace tactus::experiment
