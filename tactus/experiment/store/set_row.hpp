#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/experiment/judge/judge.hpp"

/// What a store says about one set, in the one row that it has there: a row per verdict would take
/// longer to write than the verdict takes to find.
namespace tactus::experiment {

/// Instead of a status.
inline constexpr char kNotJudged = '?';

struct SetRow {
  std::string statuses;  ///< a digit per curve, or "?" where it was not judged yet
  std::string amounts;   ///< a number or "-" per curve, with blanks between; "" if all are "-"
  /// ns or "-", with blanks between: drawing the set, then curve by curve; "" if all are "-"
  std::string times;
};

/// Writes over `row`, so that one can be used again and again.
void write_row(const JudgedSet& set, SetRow& row);

/// The inverse: writes over `verdicts`. @throws SqliteError if that is not what `write_row` makes for
/// so many curves
void read_row(std::string_view statuses, std::string_view amounts, std::string_view times,
              std::span<CurveVerdict> verdicts, std::optional<std::int64_t>* draw_ns = nullptr);
std::vector<CurveVerdict> read_row(std::string_view statuses, std::string_view amounts,
                                   std::string_view times, std::size_t curves,
                                   std::optional<std::int64_t>* draw_ns = nullptr);

}  // namespace tactus::experiment
