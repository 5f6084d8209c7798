#include "tactus/methods/pbs/weights/weights.hpp"

#include <algorithm>
#include <numeric>

#include "tactus/methods/pbs/weights/possible_frames.hpp"

namespace tactus::pbs {
namespace {

using Wide = __int128;

constexpr int kBestShift = 24;
constexpr int kMostBits = 62;  // of any sum of weights over a hyperperiod

/// The groups of all levels, when a frame of a level can hold one of these sets.
template <typename Together>
std::vector<WeightConstraints::Group> groups_of(const BatchSource& source, Together together) {
  std::vector<WeightConstraints::Group> groups;
  const std::vector<std::uint8_t>& order = source.by_level_order();
  Mask up_to = 0;
  for (std::size_t o = 0; o < order.size();) {
    const Ticks level = source.level(order[o]);
    Mask exactly = 0;
    for (; o < order.size() && source.level(order[o]) == level; ++o) exactly |= bit(order[o]);
    up_to |= exactly;
    for (const Mask set : together(level)) {
      const Mask members = set & up_to;
      if ((members & exactly) != 0 && !std::has_single_bit(members)) {
        groups.push_back({level, members});
      }
    }
  }
  return groups;
}

}  // namespace

WeightConstraints::WeightConstraints(const BatchSource& source, Ticks hyperperiod)
    : source_(source) {
  // A kernel's jobs weigh at most H together, so 64 kernels need six bits more than H.
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(hyperperiod))) + 6;
  shift_ = std::clamp(kMostBits - bits, 0, kBestShift);
  by_wcet_.resize(source.size());
  std::iota(by_wcet_.begin(), by_wcet_.end(), std::uint8_t{0});
  std::stable_sort(by_wcet_.begin(), by_wcet_.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return source.wcet(a) > source.wcet(b); });
  listed_ = source.fastest_listed();
  if (source.by_level()) {
    groups_ = groups_of(source, [](Ticks) { return std::vector<Mask>{~Mask{0}}; });
  }
}

bool WeightConstraints::restrict_to(const PossibleFrames& frames) {
  std::vector<Move> listed = source_.fastest_listed();
  std::erase_if(listed, [&](const Move& move) {
    const std::vector<Mask> sets = frames.together(move.completion);
    return std::none_of(sets.begin(), sets.end(),
                        [&](Mask set) { return (move.batch & ~set) == 0; });
  });
  std::vector<Group> groups;
  if (source_.by_level()) {
    groups = groups_of(source_, [&](Ticks level) { return frames.together(level); });
  }
  if (listed.size() == listed_.size() && groups == groups_) return false;
  listed_ = std::move(listed);
  groups_ = std::move(groups);
  return true;
}

std::vector<std::uint8_t> WeightConstraints::by_density(const Weights& values) const {
  std::vector<std::uint8_t> order(values.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  const auto& sizes = source_.sizes();
  std::stable_sort(order.begin(), order.end(), [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<Wide>(values[a]) * sizes[b] > static_cast<Wide>(values[b]) * sizes[a];
  });
  return order;
}

std::int64_t WeightConstraints::heaviest_with(std::size_t kernel, Mask members,
                                              const Weights& values,
                                              const std::vector<std::uint8_t>& order) const {
  const auto& sizes = source_.sizes();
  std::int64_t room = source_.capacity() - sizes[kernel];
  if (room < 0) return -1;
  std::int64_t sum = values[kernel];
  bool any = false;
  for (const std::uint8_t i : order) {
    if (i == kernel || (members & bit(i)) == 0) continue;
    any = true;
    if (sizes[i] > room) {
      // The first that does not fit whole: its share, rounded up, bounds all that follow.
      const Wide share = (static_cast<Wide>(values[i]) * room + sizes[i] - 1) / sizes[i];
      return sum + static_cast<std::int64_t>(share);
    }
    room -= sizes[i];
    sum += values[i];
  }
  return any ? sum : -1;
}

Weights WeightConstraints::plain() const {
  const std::size_t n = source_.size();
  Weights wcets(n), weights(n);
  for (std::size_t i = 0; i < n; ++i) wcets[i] = source_.wcet(i);
  // The least ratio C(b) / sum of C, as a fraction; a batch of one makes it at most 1.
  std::vector<std::pair<std::int64_t, std::int64_t>> ratio(n, {1, 1});
  const auto lower = [&](std::size_t i, Ticks completion, std::int64_t sum) {
    if (static_cast<Wide>(completion) * ratio[i].second < static_cast<Wide>(ratio[i].first) * sum) {
      ratio[i] = {completion, sum};
    }
  };
  for (const Move& move : listed_) {
    std::int64_t sum = 0;
    for_each(move.batch, [&](std::size_t i) { sum += wcets[i]; });
    for_each(move.batch, [&](std::size_t i) { lower(i, move.completion, sum); });
  }
  const auto order = by_density(wcets);
  for (const Group& group : groups_) {
    for_each(group.members, [&](std::size_t i) {
      const std::int64_t sum = heaviest_with(i, group.members, wcets, order);
      if (sum > 0) lower(i, group.completion, sum);
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = static_cast<std::int64_t>(static_cast<Wide>(scaled(wcets[i])) * ratio[i].first /
                                           ratio[i].second);
  }
  raise(weights);
  return weights;
}

std::int64_t WeightConstraints::slack(std::size_t kernel, const Weights& weights) const {
  std::int64_t least = scaled(source_.wcet(kernel)) - weights[kernel];
  for (const Move& move : listed_) {
    if ((move.batch & bit(kernel)) == 0) continue;
    std::int64_t sum = 0;
    for_each(move.batch, [&](std::size_t i) { sum += weights[i]; });
    least = std::min(least, scaled(move.completion) - sum);
  }
  if (least <= 0 || groups_.empty()) return std::max<std::int64_t>(least, 0);
  const auto order = by_density(weights);
  for (const Group& group : groups_) {
    if ((group.members & bit(kernel)) == 0) continue;
    const std::int64_t sum = heaviest_with(kernel, group.members, weights, order);
    if (sum >= 0) least = std::min(least, scaled(group.completion) - sum);
    if (least <= 0) return 0;
  }
  return least;
}

void WeightConstraints::raise(Weights& weights) const {
  for (const std::uint8_t i : by_wcet_) weights[i] += slack(i, weights);
}

}  // namespace tactus::pbs
