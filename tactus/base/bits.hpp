#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Sets of small numbers as rows of 64-bit words: the sets of nodes and of totals that the analyses
/// unite and intersect a million times.
namespace tactus::bits {

using Word = std::uint64_t;
using Row = std::span<Word>;
using ConstRow = std::span<const Word>;
inline constexpr std::size_t kWordBits = 64;

constexpr std::size_t words_for(std::size_t bits) { return (bits + kWordBits - 1) / kWordBits; }

inline void set(Row row, std::size_t bit) { row[bit / kWordBits] |= Word{1} << (bit % kWordBits); }
inline void reset(Row row, std::size_t bit) {
  row[bit / kWordBits] &= ~(Word{1} << (bit % kWordBits));
}
inline bool test(ConstRow row, std::size_t bit) {
  return (row[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
}

/// @pre all rows of one call have the same number of words.
inline void unite(Row into, ConstRow from) {
  for (std::size_t w = 0; w < into.size(); ++w) into[w] |= from[w];
}
inline void subtract(Row into, ConstRow from) {
  for (std::size_t w = 0; w < into.size(); ++w) into[w] &= ~from[w];
}
inline bool equal(ConstRow a, ConstRow b) { return std::equal(a.begin(), a.end(), b.begin()); }
inline bool none(ConstRow row) {
  return std::all_of(row.begin(), row.end(), [](Word word) { return word == 0; });
}

/// The smallest member that is at least `from`, or `kNone`.
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);
inline std::size_t first(ConstRow row, std::size_t from = 0) {
  std::size_t w = from / kWordBits;
  if (w >= row.size()) return kNone;
  Word word = row[w] & (~Word{0} << (from % kWordBits));
  while (word == 0) {
    if (++w == row.size()) return kNone;
    word = row[w];
  }
  return w * kWordBits + static_cast<std::size_t>(std::countr_zero(word));
}

/// Calls `visit(member)` in ascending order.
template <typename Visit>
void for_each(ConstRow row, Visit visit) {
  for (std::size_t w = 0; w < row.size(); ++w) {
    for (Word word = row[w]; word != 0; word &= word - 1) {
      visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
}

/// Adds to `row` the members of `from`, each plus `by`. What leaves the row is dropped.
inline void unite_shifted(Row row, ConstRow from, std::size_t by) {
  const std::size_t whole = by / kWordBits, part = by % kWordBits;
  // From the top down, so that `from` may be the row itself.
  for (std::size_t w = row.size(); w-- > whole;) {
    Word word = from[w - whole] << part;
    if (part != 0 && w > whole) word |= from[w - whole - 1] >> (kWordBits - part);
    row[w] |= word;
  }
}

/// Rows of equal length in one piece of memory; all bits clear at first.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : words_(words_for(columns)), data_(rows * words_) {}

  Row operator[](std::size_t row) { return {data_.data() + row * words_, words_}; }
  ConstRow operator[](std::size_t row) const { return {data_.data() + row * words_, words_}; }
  std::size_t words() const { return words_; }

 private:
  std::size_t words_ = 0;
  std::vector<Word> data_;
};

}  // namespace tactus::bits
