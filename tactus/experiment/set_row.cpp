#include "tactus/experiment/set_row.hpp"

#include <algorithm>
#include <charconv>

#include "tactus/experiment/sqlite.hpp"
#include "tactus/experiment/stored.hpp"

namespace tactus::experiment {
namespace {

void add_number(std::string& text, std::int64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end);
}

/// Takes numbers off the front of a text, one blank between two.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : left_(text) {}

  std::optional<std::int64_t> next() {
    if (begun_) expect(' ');
    begun_ = true;
    if (left_ == "-" || left_.starts_with("- ")) {
      left_.remove_prefix(1);
      return std::nullopt;
    }
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
    if (problem != std::errc()) missing();
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return number;
  }
  void end() const {
    if (!left_.empty()) missing();
  }
  [[noreturn]] static void missing() { throw SqliteError("verdicts are missing"); }

 private:
  void expect(char c) {
    if (!left_.starts_with(c)) missing();
    left_.remove_prefix(1);
  }

  std::string_view left_;
  bool begun_ = false;
};

}  // namespace

void write_row(const JudgedSet& set, SetRow& row) {
  row.statuses.clear();
  row.amounts.clear();
  row.times.clear();
  add_number(row.times, set.draw_ns);
  bool any = false;
  for (const CurveVerdict& curve : set.curves) {
    row.statuses +=
        curve.judged ? static_cast<char>('0' + static_cast<int>(curve.status)) : kNotJudged;
    row.times += ' ';
    add_number(row.times, curve.ns);
    if (&curve != set.curves.data()) row.amounts += ' ';
    any = any || curve.value;
    if (curve.value) {
      add_number(row.amounts, *curve.value);
    } else {
      row.amounts += '-';
    }
  }
  if (!any) row.amounts.clear();
}

std::vector<CurveVerdict> read_row(std::string_view statuses, std::string_view amounts,
                                   std::string_view times, std::size_t curves,
                                   std::int64_t* draw_ns) {
  if (statuses.size() != curves) Numbers::missing();
  std::vector<CurveVerdict> verdicts(curves);
  Numbers amount(amounts), time(times);
  const auto drawing = time.next();
  if (draw_ns != nullptr) *draw_ns = drawing.value_or(0);
  for (std::size_t c = 0; c < curves; ++c) {
    verdicts[c].judged = statuses[c] != kNotJudged;
    if (verdicts[c].judged) verdicts[c].status = stored_status(statuses[c] - '0');
    if (!amounts.empty()) verdicts[c].value = amount.next();
    const auto taken = time.next();
    if (!taken) Numbers::missing();
    verdicts[c].ns = *taken;
  }
  amount.end();
  time.end();
  return verdicts;
}

}  // namespace tactus::experiment
