#include "tactus/exchange/ctf_text.hpp"

#include <charconv>
#include <chrono>

#include "tactus/base/decimal.hpp"
#include "tactus/exchange/numbers.hpp"

namespace tactus::exchange {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Two digits or more, at the front; they are taken off.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

/// "1700000000.123456789", "2023-11-14 22:13:20.123456789" or "22:13:20.123456789". Only the first
/// counts from 1970: the others are in the time zone of whoever printed them.
bool read_time(std::string_view text, CtfEvent& event) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return false;
  const auto fraction = scaled(std::string("0").append(text.substr(point)), 9, Rounding::kDown);
  std::string_view whole_part = text.substr(0, point);
  std::int64_t days = 0;
  if (const std::size_t blank = whole_part.find(' '); blank != std::string_view::npos) {
    const auto year = take_number(whole_part);
    const bool one = take(whole_part, '-');
    const auto month = take_number(whole_part);
    const bool two = take(whole_part, '-');
    const auto day = take_number(whole_part);
    if (!year || !month || !day || !one || !two || !take(whole_part, ' ')) return false;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return false;
    days = std::chrono::sys_days(date).time_since_epoch().count();
  }
  const auto first = take_number(whole_part);
  if (!first || !fraction) return false;
  event.since_1970 = whole_part.empty();
  std::int64_t seconds = *first;
  if (!event.since_1970) {
    const bool one = take(whole_part, ':');
    const auto minutes = take_number(whole_part);
    const bool two = take(whole_part, ':');
    const auto rest = take_number(whole_part);
    if (!one || !two || !minutes || !rest || !whole_part.empty() || *first > 24 || *minutes > 60 ||
        *rest > 60) {
      return false;
    }
    seconds = ((days * 24 + *first) * 60 + *minutes) * 60 + *rest;
  }
  constexpr std::int64_t kMost = INT64_MAX / kSecond / 2;
  if (seconds > kMost || seconds < -kMost) return false;
  event.at = seconds * kSecond + *fraction;
  return true;
}

/// The names and values between the braces.
class FieldReader {
 public:
  FieldReader(std::string_view line, std::size_t at, std::vector<CtfEvent::Field>& fields)
      : line_(line), at_(at), fields_(fields) {}

  std::optional<CtfProblem> read() {
    while (true) {
      at_ = line_.find_first_not_of(" ,{}", at_);
      if (at_ == std::string_view::npos) return std::nullopt;
      const std::size_t end = line_.find_first_of(" =,{}", at_);
      const std::string_view key = line_.substr(at_, end - at_);
      if (end == std::string_view::npos || line_.substr(end, 3) != " = ") {
        return problem("a field is `name = value`");
      }
      at_ = end + 3;
      std::string_view value;
      if (auto wrong = read_value(value)) return wrong;
      fields_.push_back({key, value});
    }
  }

 private:
  CtfProblem problem(std::string message) const {
    return {static_cast<std::uint32_t>(at_ + 1), std::move(message)};
  }

  std::optional<CtfProblem> read_value(std::string_view& value) {
    if (at_ == line_.size()) return problem("the line ends before the value");
    const char first = line_[at_];
    if (first == '"') return read_text(value);
    if (first == '[' || first == '{' || first == '(') return pass_over();
    const std::size_t end = std::min(line_.find_first_of(" ,}", at_), line_.size());
    value = line_.substr(at_, end - at_);
    at_ = end;
    return std::nullopt;
  }

  /// What is escaped in it stays so: names of nodes and topics have no such characters.
  std::optional<CtfProblem> read_text(std::string_view& value) {
    std::size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != '"') end += line_[end] == '\\' ? 2 : 1;
    if (end >= line_.size()) return problem("this text does not end");
    value = line_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::nullopt;
  }

  /// A list or a structure: to the bracket that ends it, texts in it apart.
  std::optional<CtfProblem> pass_over() {
    const std::size_t start = at_;
    int depth = 0;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == '"') {
        std::string_view ignored;
        if (auto wrong = read_text(ignored)) return wrong;
        continue;
      }
      if (c == '[' || c == '{' || c == '(') ++depth;
      if (c == ']' || c == '}' || c == ')') --depth;
      ++at_;
      if (depth == 0) return std::nullopt;
    }
    at_ = start;
    return problem("this bracket does not end");
  }

  std::string_view line_;
  std::size_t at_;
  std::vector<CtfEvent::Field>& fields_;
};

}  // namespace

const std::string_view* CtfEvent::find(std::string_view key) const {
  // The event's own fields come last.
  for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
    if (field->key == key) return &field->value;
  }
  return nullptr;
}

std::optional<std::int64_t> CtfEvent::number(std::string_view key) const {
  const std::string_view* text = find(key);
  if (text == nullptr) return std::nullopt;
  if (!text->starts_with("0x")) return whole(*text);
  std::uint64_t address = 0;
  const auto [rest, problem] =
      std::from_chars(text->data() + 2, text->data() + text->size(), address, 16);
  if (problem != std::errc() || rest != text->data() + text->size()) return std::nullopt;
  return static_cast<std::int64_t>(address);
}

std::optional<CtfProblem> read_ctf_line(std::string_view line, std::string_view provider,
                                        CtfEvent& event) {
  event.name.clear();
  event.fields.clear();
  const std::size_t fields = line.find(": {");
  if (fields == std::string_view::npos) return std::nullopt;
  const std::size_t name = line.rfind(' ', fields) + 1;
  if (!line.substr(name, fields - name).starts_with(provider)) return std::nullopt;
  const std::size_t time_end = line.find(']');
  if (!line.starts_with('[') || time_end == std::string_view::npos ||
      !read_time(line.substr(1, time_end - 1), event)) {
    return CtfProblem{1, "the line of an event begins with its time, as in [1700000000.000120000]"};
  }
  event.name = line.substr(name, fields - name);
  return FieldReader(line, fields + 2, event.fields).read();
}

}  // namespace tactus::exchange
