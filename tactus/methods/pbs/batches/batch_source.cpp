#include "tactus/methods/pbs/batches/batch_source.hpp"

#include <algorithm>
#include <numeric>

#include "tactus/methods/pbs/batches/block_placement.hpp"

namespace tactus::pbs {

BatchSource::BatchSource(const TaskSet& set, const Oracle& oracle, const Features& features)
    : set_(set), oracle_(oracle), by_level_(set.model == InterferenceModel::kSlowdown) {
  for (const auto& [kernels, entry] : oracle.entries()) {
    Mask batch = 0;
    for (std::uint32_t kernel : kernels) batch |= bit(kernel);
    // Its orders that no entry names still complete by the formula: `options_of` knows.
    overridden_.insert(batch);
    auto options = options_of(set, oracle, batch);
    // No frame is longer than the hyperperiod; sums stay far from overflow.
    std::erase_if(options, [&](const BatchOption& o) { return o.completion > set.hyperperiod; });
    for (const BatchOption& option : options) listed_.push_back({batch, option.completion});
    if (options.empty()) continue;
    fastest_.push_back({batch, options.front().completion});
    fastest_of_.emplace(batch, options.front().completion);
  }

  const auto capacity = common_capacity(set);
  for (const Kernel& kernel : set.kernels) {
    levels_.push_back(std::min(kernel.level, set.hyperperiod + 1));
    // Where needs differ, threads alone: a necessary condition, and `joins_by_level` decides.
    sizes_.push_back(capacity ? kernel.blocks : checked::mul(kernel.blocks, kernel.need[0]));
  }
  if (set.has_blocks) capacity_ = capacity ? *capacity : checked::mul(set.units, set.sm[0]);
  size_decides_ = !set.has_blocks || capacity.has_value();
  by_level_order_.resize(set.size());
  std::iota(by_level_order_.begin(), by_level_order_.end(), std::uint8_t{0});
  std::stable_sort(by_level_order_.begin(), by_level_order_.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return levels_[a] < levels_[b]; });

  const bool is_closed = by_level_ ? size_decides_ && oracle.entries().empty() : listed_is_closed();
  closed_ = features.maximal_packings && is_closed;
}

bool BatchSource::listed_is_closed() const {
  return std::all_of(fastest_.begin(), fastest_.end(), [&](const Move& move) {
    bool good = true;
    for_each(move.batch, [&](std::size_t i) {
      const Mask rest = move.batch & ~bit(i);
      // A batch of one takes no longer than any batch it is part of.
      good = good && (std::has_single_bit(rest) || fastest(rest) <= move.completion);
    });
    return good;
  });
}

const std::vector<BatchSource::Level>& BatchSource::levels_of(Mask ready) {
  scratch_.clear();
  Mask up_to = 0;
  for (const std::uint8_t i : by_level_order_) {
    if ((ready & bit(i)) == 0) continue;
    up_to |= bit(i);
    if (scratch_.empty() || scratch_.back().completion != levels_[i]) {
      scratch_.push_back({levels_[i], 0, 0});
    }
    scratch_.back().exactly |= bit(i);
    scratch_.back().up_to = up_to;
  }
  return scratch_;
}

bool BatchSource::joins_by_level(Mask batch) {
  if (!overridden_.empty() && overridden_.contains(batch)) return false;
  if (size_decides_) return true;
  const auto [found, fresh] = fits_.emplace(batch, false);
  if (fresh) found->second = !options_of(set_, oracle_, batch).empty();
  return found->second;
}

std::size_t BatchSource::bytes() const {
  constexpr std::size_t kNode = 40;  // a hash node and its share of the buckets
  return (listed_.size() + fastest_.size()) * sizeof(Move) +
         (fastest_of_.size() + overridden_.size() + fits_.size()) * kNode;
}

}  // namespace tactus::pbs
