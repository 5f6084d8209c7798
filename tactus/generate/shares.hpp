#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tactus/base/random.hpp"

/// Ways to split a total, such as a utilisation, among tasks. Each of them is uniform over the
/// splits that it allows; they differ in which splits they allow.
namespace tactus {

/// `total` split into `count` shares, uniformly over all such splits: the distribution of
/// UUniFast, drawn as the gaps between sorted uniform points. That needs no `pow`, whose last bit
/// differs between C libraries. Draws: count - 1 reals.
std::vector<double> split_uniformly(double total, std::size_t count, Random& random);
/// The same into memory of the caller. @pre !shares.empty()
void split_uniformly(double total, Random& random, std::span<double> shares);

struct Bounds {
  double low = 0, high = 1;
};

/// UUniFast-Discard: `split_uniformly` until every share lies within its bounds, or nothing after
/// `tries` splits.
std::optional<std::vector<double>> split_discarding(double total, std::span<const Bounds> bounds,
                                                    Random& random, int tries = 1000);

/// What the Dirichlet-Rescale algorithm (DRS) of Griffin, Bate and Davis (RTSS 2020) is for: a
/// split that is uniform over all splits within the bounds, even if there are few of them.
/// Rescaling a split that breaks several bounds at once is not exactly uniform, so this draws in
/// another way: independent variables from truncated exponentials of one common rate. Given their
/// sum the joint density is constant, whatever the rate; the rate at which the expected sum is
/// `total` makes that sum likely, so that about the square root of `count` attempts are enough.
/// @pre the sum of the lower bounds <= total <= the sum of the upper bounds; low <= high.
std::vector<double> split_within(double total, std::span<const Bounds> bounds, Random& random);

/// The three by name, as a parameter of a recipe.
enum class Splitter { kUUniFast, kDiscard, kDrs };
inline constexpr std::string_view kSplitterNames[] = {"uunifast", "discard", "drs"};

/// Is there a split into `count` shares that are all within these bounds?
bool can_split(double total, std::size_t count, Bounds each);

/// A split into `count` shares by any of the three, each share within the same bounds, which
/// UUniFast ignores. If hardly any split lies within them, Discard uses DRS, which has the same
/// distribution. Nothing if no split does.
std::optional<std::vector<double>> split(Splitter splitter, double total, std::size_t count,
                                         Bounds each, Random& random);

}  // namespace tactus
