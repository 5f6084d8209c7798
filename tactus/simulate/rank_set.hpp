#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::simulate {

/// A set of small numbers that knows its largest and smallest member at once: a bit for each
/// number, and above them a bit for each word that has any, level by level.
class RankSet {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit RankSet(std::size_t numbers = 0) {
    do {
      numbers = (numbers + kBits - 1) / kBits;
      levels_.emplace_back(numbers);
    } while (numbers > 1);
  }

  bool contains(std::size_t number) const {
    return (levels_[0][number / kBits] >> number % kBits & 1) != 0;
  }
  void insert(std::size_t number) {
    if (contains(number)) return;
    ++count_;
    for (auto& level : levels_) {
      std::uint64_t& word = level[number / kBits];
      const bool known = word != 0;
      word |= std::uint64_t{1} << number % kBits;
      if (known) return;
      number /= kBits;
    }
  }
  void erase(std::size_t number) {
    if (!contains(number)) return;
    --count_;
    for (auto& level : levels_) {
      std::uint64_t& word = level[number / kBits];
      word &= ~(std::uint64_t{1} << number % kBits);
      if (word != 0) return;
      number /= kBits;
    }
  }
  void put(std::size_t number, bool in) { in ? insert(number) : erase(number); }

  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  /// The largest member, or kNone.
  std::size_t largest() const {
    if (count_ == 0) return kNone;
    std::size_t at = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      const std::uint64_t word = levels_[level][at];
      at = at * kBits + (kBits - 1 - static_cast<std::size_t>(std::countl_zero(word)));
    }
    return at;
  }
  /// The smallest member that is at least `from`, or kNone.
  std::size_t next(std::size_t from = 0) const {
    std::size_t level = 0;
    for (;; ++level) {  // up to where a word has one at or behind `from`
      if (level == levels_.size() || from / kBits >= levels_[level].size()) return kNone;
      const std::uint64_t rest = levels_[level][from / kBits] & (~std::uint64_t{0} << from % kBits);
      if (rest != 0) {
        from = from / kBits * kBits + static_cast<std::size_t>(std::countr_zero(rest));
        break;
      }
      from = from / kBits + 1;
    }
    while (level-- > 0) {  // and down to the first there
      from = from * kBits + static_cast<std::size_t>(std::countr_zero(levels_[level][from]));
    }
    return from;
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::vector<std::uint64_t>> levels_;
  std::size_t count_ = 0;
};

}  // namespace tactus::simulate
