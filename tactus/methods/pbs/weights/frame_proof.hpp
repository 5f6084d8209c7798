#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tactus/methods/pbs/weights/frame_places.hpp"
#include "tactus/methods/pbs/weights/knapsack.hpp"

namespace tactus::pbs {

/// Proves that there is no table, with idling or without, by the frames that its beginning would need.
///
/// In a table every job due by the horizon is in a frame; in an interval there is no more frame time
/// than the interval is long, where a frame counts with the least part that lies inside wherever its
/// place allows it to start; and at most one frame lies across an arrival instant. If not even
/// fractions of frames can do all this (a linear program), there is no table. Where fractions can,
/// one long job is put into each of its places in turn, and each is refuted alone.
///
/// The proof is in prices: y per job, z per tick of each interval, w per arrival instant, such that
/// no frame holds jobs for more than it pays (its part of each interval, and what it crosses). If all
/// jobs together cost more than all intervals and instants are worth, there is no table. The linear
/// program finds them in floating point; they are then rounded to the safe side and checked in
/// integers against every frame, so that no proof depends on the solver.
class FrameProof {
 public:
  /// Sizes above which it is not tried: the linear program is dense.
  static constexpr std::size_t kMostJobs = 256, kMostIntervals = 160;

  /// `give_up` is asked now and then. @pre shift > 0.
  FrameProof(const FramePlaces& places, const BatchSource& source, int shift,
             std::function<bool()> give_up);

  /// Whether it proved that there is no table, within so many linear programs.
  bool found(int most_programs);

 private:
  static constexpr std::int32_t kAnywhere = -1;
  /// By job, in which place it has to be.
  using Fixed = std::vector<std::int32_t>;
  /// Some jobs in a frame of a place.
  struct Cut {
    std::uint32_t place = 0, length = 0;
    Mask batch = 0;
  };
  /// In parts of the horizon.
  struct Prices {
    std::vector<double> job, interval, point;
    double surplus() const { return jobs - worth; }
    double jobs = 0, worth = 0;
  };
  enum class Outcome { kRefuted, kFractions, kGivenUp };
  /// Which job to put into a place, and its places, the most likely first.
  struct Branch {
    std::uint32_t job = 0;
    std::vector<std::int32_t> places;
  };

  bool refute(const Fixed& fixed, std::vector<Cut> cuts);
  Outcome solve(const Fixed& fixed, std::vector<Cut>& cuts, std::optional<Branch>& branch);
  Prices prices_of(const std::vector<double>& solution) const;
  double paid_by(const FramePlaces::Place& place, const FramePlaces::Length& length,
                 const Prices& prices) const;
  /// Calls `visit(place, length, value, batch)` with the dearest batch of every length of every place.
  template <typename Value, typename Visit>
  void for_each_dearest(const Fixed& fixed, const std::vector<Value>& job_prices,
                        Visit visit) const;
  std::vector<Cut> violated(const Fixed& fixed, const Prices& prices, double& least_ratio) const;
  bool holds_in_integers(const Fixed& fixed, const Prices& prices) const;
  bool allowed(const Fixed& fixed, const Cut& cut) const;
  std::vector<Cut> first_cuts() const;

  const FramePlaces& places_;
  const BatchSource& source_;
  KnapsackSizes sizes_;
  int shift_;
  std::function<bool()> give_up_;
  int programs_left_ = 0;
};

}  // namespace tactus::pbs
