#include "tactus/experiment/store/set_row.hpp"

#include <algorithm>
#include <charconv>

#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/experiment/store/stored.hpp"

namespace tactus::experiment {
namespace {

void add_number(std::string& text, std::optional<std::int64_t> number) {
  if (!number) {
    text += '-';
    return;
  }
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, *number).ptr;
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
  const auto has_value = [](const CurveVerdict& curve) { return curve.value.has_value(); };
  const auto has_time = [](const CurveVerdict& curve) { return curve.ns.has_value(); };
  const bool amounts = std::any_of(set.curves.begin(), set.curves.end(), has_value);
  const bool times = set.draw_ns || std::any_of(set.curves.begin(), set.curves.end(), has_time);
  if (times) add_number(row.times, set.draw_ns);
  for (const CurveVerdict& curve : set.curves) {
    row.statuses +=
        curve.judged ? static_cast<char>('0' + static_cast<int>(curve.status)) : kNotJudged;
    if (times) {
      row.times += ' ';
      add_number(row.times, curve.ns);
    }
    if (!amounts) continue;
    if (!row.amounts.empty()) row.amounts += ' ';
    add_number(row.amounts, curve.value);
  }
}

void read_row(std::string_view statuses, std::string_view amounts, std::string_view times,
              std::span<CurveVerdict> verdicts, std::optional<std::int64_t>* draw_ns) {
  if (statuses.size() != verdicts.size()) Numbers::missing();
  for (std::size_t c = 0; c < verdicts.size(); ++c) {
    verdicts[c] = {};
    verdicts[c].judged = statuses[c] != kNotJudged;
    if (verdicts[c].judged) verdicts[c].status = stored_status(statuses[c] - '0');
  }
  // Most rows of most experiments have neither amounts nor times.
  if (!amounts.empty()) {
    Numbers amount(amounts);
    for (CurveVerdict& verdict : verdicts) verdict.value = amount.next();
    amount.end();
  }
  if (!times.empty()) {
    Numbers time(times);
    const auto drawing = time.next();
    if (draw_ns != nullptr) *draw_ns = drawing;
    for (CurveVerdict& verdict : verdicts) verdict.ns = time.next();
    time.end();
  }
}

std::vector<CurveVerdict> read_row(std::string_view statuses, std::string_view amounts,
                                   std::string_view times, std::size_t curves,
                                   std::optional<std::int64_t>* draw_ns) {
  std::vector<CurveVerdict> verdicts(curves);
  read_row(statuses, amounts, times, verdicts, draw_ns);
  return verdicts;
}

}  // namespace tactus::experiment
