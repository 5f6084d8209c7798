#include "tactus/experiment/describe/expression.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tactus/base/diagnostic.hpp"
#include "tactus/experiment/describe/intervals.hpp"

namespace tactus::experiment {
namespace {

using Numbers = std::vector<double>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; }

double add(double a, double b) { return a + b; }
double subtract(double a, double b) { return a - b; }
double multiply(double a, double b) { return a * b; }
double divide(double a, double b) {
  return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
}
double smaller(double a, double b) { return std::isnan(a + b) ? a + b : std::min(a, b); }
double larger(double a, double b) { return std::isnan(a + b) ? a + b : std::max(a, b); }

/// Evaluates while it parses; the first complaint ends it.
class Evaluation {
 public:
  Evaluation(std::string_view text, const Source& source) : text_(text), source_(source) {}

  Result<double> run() {
    try {
      const Numbers value = sum();
      if (peek() != '\0') fail(fmt::format("unexpected {}", quote(text_.substr(at_, 1))));
      if (value.size() != 1) {
        at_ = 0;
        fail(fmt::format("this is a list of {} numbers; take the mean, min, max or sum of it",
                         value.size()));
      }
      return value.front();
    } catch (Error& error) {
      return std::move(error);
    }
  }

 private:
  static constexpr int kMostNesting = 100;

  [[noreturn]] void fail(std::string message) const {
    throw Error{std::move(message), {}, {1, static_cast<std::uint32_t>(at_) + 1}};
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("expected `{}`", c));
  }

  /// Point by point; a single number goes with every point of a list.
  Numbers apply(double (*operation)(double, double), const Numbers& a, const Numbers& b) const {
    if (a.size() != b.size() && a.size() != 1 && b.size() != 1) {
      fail(fmt::format("lists of {} and {} points do not match", a.size(), b.size()));
    }
    Numbers result(a.empty() || b.empty() ? 0 : std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = operation(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    }
    return result;
  }

  Numbers sum() {
    Numbers value = product();
    for (;;) {
      if (take('+')) {
        value = apply(add, value, product());
      } else if (take('-')) {
        value = apply(subtract, value, product());
      } else {
        return value;
      }
    }
  }

  Numbers product() {
    Numbers value = factor();
    for (;;) {
      if (take('*')) {
        value = apply(multiply, value, factor());
      } else if (take('/')) {
        value = apply(divide, value, factor());
      } else {
        return value;
      }
    }
  }

  Numbers factor() {
    if (++nesting_ > kMostNesting) fail("nested too deeply");
    Numbers value = unnested_factor();
    --nesting_;
    return value;
  }

  Numbers unnested_factor() {
    const char c = peek();
    if (take('-')) return apply(subtract, {0.0}, factor());
    if (take('(')) {
      Numbers value = sum();
      expect(')');
      return value;
    }
    if (take('[')) return list();
    if (is_digit(c)) return {number()};
    if (!is_letter(c)) fail(c == '\0' ? "something is missing" : "expected a number or a name");
    const std::size_t begin = at_;
    const std::string word = name();
    if (peek() == '(') return call(word, begin);
    at_ = begin;
    const CurveName named = curve();
    if (sets_ != nullptr) *sets_ = apply(smaller, *sets_, points(source_.sets(named), begin));
    return points(source_.curve(named), begin);
  }

  /// What a paper's curve says, point by point.
  Numbers list() {
    Numbers values;
    do {
      const bool negative = take('-');
      peek();
      values.push_back(negative ? -number() : number());
    } while (take(','));
    expect(']');
    return values;
  }

  double number() {
    double value = 0;
    const char* end = text_.data() + text_.size();
    const auto [rest, problem] = std::from_chars(text_.data() + at_, end, value);
    if (problem != std::errc()) fail("expected a number");
    at_ = static_cast<std::size_t>(rest - text_.data());
    return value;
  }

  std::string name() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    if (begin == at_) fail("expected a name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  /// What stands up to a closing bracket.
  std::string until(char close) {
    const std::size_t end = text_.find(close, at_);
    if (end == std::string_view::npos) fail(fmt::format("`{}` is missing", close));
    std::string inside(text_.substr(at_, end - at_));
    at_ = end + 1;
    return inside;
  }

  CurveName curve() {
    CurveName curve;
    curve.line = name();
    if (take(':')) curve.variant = name();
    if (take('{')) curve.case_name = until('}');
    if (take('[')) curve.x = until(']');
    return curve;
  }

  Numbers points(Source::Points found, std::size_t begin) {
    if (!found) {
      at_ = begin;
      fail(found.error().message);
    }
    return std::move(*found);
  }

  /// A function of a curve, not of numbers; null: it is none.
  const std::function<Source::Points(const CurveName&)>* function_of_curve(
      std::string_view function) const {
    if (function == "weighted") return &source_.weighted;
    if (function == "accepted") return &source_.accepted;
    if (function == "spread") return &source_.spread;
    return nullptr;
  }

  Numbers call(const std::string& function, std::size_t begin) {
    expect('(');
    if (const auto* of_curve = function_of_curve(function)) {
      const CurveName of = curve();
      expect(')');
      return points((*of_curve)(of), begin);
    }
    if (function == "lost") {
      const CurveName loser = curve();
      expect(',');
      const CurveName winner = curve();
      expect(')');
      return points(source_.lost(loser, winner), begin);
    }
    if (function == "outside") return {outside()};
    std::vector<Numbers> arguments = {sum()};
    while (take(',')) arguments.push_back(sum());
    expect(')');
    if (function == "min") return extreme(smaller, arguments);
    if (function == "max") return extreme(larger, arguments);
    static constexpr std::string_view kOfOne[] = {"mean", "sum", "abs", "log10"};
    if (std::find(std::begin(kOfOne), std::end(kOfOne), function) == std::end(kOfOne)) {
      at_ = begin;
      fail(fmt::format(
          "there is no function {}; there are min, max, mean, sum, abs, log10, accepted, spread, "
          "weighted, lost, outside",
          quote(function)));
    }
    if (arguments.size() != 1) fail(fmt::format("{} takes one argument", function));
    Numbers values = std::move(arguments.front());
    if (function == "abs") {
      for (double& value : values) value = std::abs(value);
      return values;
    }
    if (function == "log10") {
      for (double& value : values) value = value > 0 ? std::log10(value) : std::nan("");
      return values;
    }
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    return {function == "sum" ? total : divide(total, static_cast<double>(values.size()))};
  }

  /// outside(ours, theirs, sets): at how many points our percentage and that of a sample of so many
  /// sets differ more than two samples of the same ratio do. Behind the opening bracket.
  double outside() {
    Numbers ours_of = {std::numeric_limits<double>::infinity()};
    Numbers* const around = std::exchange(sets_, &ours_of);
    const Numbers ours = sum();
    sets_ = around;
    if (std::isinf(ours_of.front())) fail("outside needs a curve before the published values");
    expect(',');
    const Numbers theirs = sum();
    if (theirs.size() != ours.size()) {
      fail(fmt::format("lists of {} and {} points do not match", ours.size(), theirs.size()));
    }
    expect(',');
    const Numbers theirs_of = sum();
    expect(')');
    double count = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double n = ours_of[ours_of.size() == 1 ? 0 : i];
      if (std::isnan(ours[i])) return ours[i];
      count += ratios_differ({ours[i] / 100, n}, {theirs[i] / 100, theirs_of.front()}) ? 1 : 0;
    }
    return count;
  }

  /// Of the points of one argument, or of several arguments point by point.
  Numbers extreme(double (*better)(double, double), const std::vector<Numbers>& arguments) const {
    Numbers result = arguments.front();
    for (std::size_t i = 1; i < arguments.size(); ++i) result = apply(better, result, arguments[i]);
    if (arguments.size() > 1) return result;
    if (result.empty()) fail("there are no points");
    return {std::accumulate(result.begin() + 1, result.end(), result.front(), better)};
  }

  std::string_view text_;
  const Source& source_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  Numbers* sets_ = nullptr;  ///< of the curves that are named, point by point; null: of no interest
};

}  // namespace

Result<double> evaluate(std::string_view text, const Source& source) {
  return Evaluation(text, source).run();
}

}  // namespace tactus::experiment
