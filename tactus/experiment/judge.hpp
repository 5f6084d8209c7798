#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "tactus/experiment/experiment.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/many.hpp"

namespace tactus::experiment {

/// What one curve says about one set.
struct CurveVerdict {
  Status status = Status::kNotApplicable;
  std::optional<std::int64_t>
      value;  ///< by the measure: a bound in ns, a figure, what was simulated
  /// Processor time of the analysis, which no other program of the machine prolongs; the family's view of the system counts for the first curve that needs it.
  std::int64_t ns = 0;

  friend bool operator==(const CurveVerdict&, const CurveVerdict&) = default;
};

/// What is found about one set.
struct JudgedSet {
  std::int64_t experiment = 0, point = 0, set = 0;
  std::int64_t utilisation = 0;  ///< in millionths
  std::int64_t draw_ns = 0;      ///< time to draw it
  std::vector<CurveVerdict> curves;

  friend bool operator==(const JudgedSet&, const JudgedSet&) = default;
};

/// Draws and judges the sets of one experiment. Nothing in it changes, so threads share it.
class Judge {
 public:
  explicit Judge(const Experiment& experiment);

  /// Nothing if `stop` was requested: a method that is interrupted answers "undecided", which is
  /// not a result.
  std::optional<JudgedSet> operator()(std::size_t point, std::int64_t set,
                                      const std::stop_token& stop) const;

  /// The same for one set of a point after the other, on one thread, with less work for each.
  class AtPoint {
   public:
    AtPoint(const Judge& judge, std::size_t point, const std::stop_token& stop);
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
    System draw(Form& form, std::int64_t set) const;
    /// False if it was interrupted.
    bool ask(Form& form, const System& system, JudgedSet& judged) const;

    const Judge& judge_;
    const Point& point_;
    std::stop_token stop_;
    std::vector<std::unique_ptr<Form>> forms_;  ///< that of the first line is the first
  };

  const Experiment& experiment() const { return experiment_; }
  const std::vector<Point>& points() const { return points_; }
  const std::vector<Curve>& curves() const { return curves_; }

 private:
  Question question(std::size_t curve, const Point& point, const std::stop_token& stop) const;
  /// What the experiment wants to know of a verdict; without the time.
  CurveVerdict measure(const System& system, const Point& point, const Curve& curve,
                       const Verdict& verdict) const;

  /// Does the set count for that curve, where accepted sets are simulated?
  bool simulates(std::size_t curve, const JudgedSet& judged, const System& system) const;

  const Experiment& experiment_;
  std::vector<Point> points_;
  std::vector<Curve> curves_;
  const Recipe* recipe_;                ///< null: the system is given
  std::vector<const Method*> methods_;  ///< of each curve
};

/// Sum over the tasks of all execution times divided by the period, in millionths, rounded down.
std::int64_t utilisation_of(const System& system);

}  // namespace tactus::experiment
