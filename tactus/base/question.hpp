#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tactus/base/result.hpp"

/// What can be asked is said once, in a table of fields that the command line, the C interface, HTTP,
/// Python and the tables of the docs read. A field is a member of a plain struct, whose value is the
/// default:
///
///     struct SlackQuestion {
///       std::string sweep;
///       std::int64_t points = 16;
///     };
///     void describe(SlackQuestion& question, Fields& is) {
///       is("sweep", question.sweep, "Bounds along one value").shows("NAME=FROM..TO");
///       is("points", question.points, "Of a sweep").range(2, 10'000).needs("sweep");
///     }
///
/// A key has one spelling in JSON and Python (`stop_after`), and the command line writes it with dashes
/// (`--stop-after`). A flag that is on by default is `--no-KEY` there, and `false` elsewhere.
namespace tactus {

/// A text that a question brings along: a file where a person asks, the text itself where a program
/// does.
struct Document {
  std::string path = {};  ///< "-" is standard input; empty: it is no file
  std::string name = {};  ///< in messages
  std::string text = {};
  std::optional<Error> problem = {};  ///< why there is no text

  bool given() const { return !name.empty(); }
};

/// NAME=VALUE, as often as given; in JSON also an object of names and values.
struct Assignments {
  std::vector<std::string> all;
};

/// Names with values, which are not of the question itself: options of methods.
using NamedValues = std::map<std::string, std::string, std::less<>>;

/// One of them that there can be; without a value it is a flag.
struct NamedValue {
  std::string_view name, value, help;
};

/// The heading of what few people need.
inline constexpr std::string_view kSeldom = "Seldom needed";

class AskedField {
 public:
  /// Who may say it.
  enum class By { kAll, kCommandLine, kLibrary };
  using Place = std::variant<bool*, std::function<void(std::int64_t)>,
                             std::function<void(std::string)>, std::vector<std::string>*,
                             Assignments*, Document*, std::vector<Document>*, NamedValues*>;

  AskedField(std::string_view name, Place to, std::string usual_text, std::string_view text)
      : key(name), place(std::move(to)), usual(std::move(usual_text)), help(text) {}

  AskedField& letter(char c) { return letter_ = c, *this; }
  /// On the command line it has no name but this in help; elsewhere it has its key.
  AskedField& positional(std::string_view as) { return at = as, value = as, *this; }
  AskedField& required() { return must = true, *this; }
  AskedField& shows(std::string_view as) { return value = as, *this; }
  AskedField& shows_default(std::string_view text) { return usual = text, *this; }
  AskedField& range(std::int64_t from, std::int64_t to = 999'999'999) {
    return least = from, most = to, *this;
  }
  /// What turning it off does, for the command line.
  AskedField& off(std::string_view text) { return help_off = text, *this; }
  /// A decimal number > 0, which is read exactly.
  AskedField& decimal() { return is_decimal = true, value = "TIME", *this; }
  template <typename Words>
  AskedField& one_of(const Words& all) {
    words.assign(std::begin(all), std::end(all));
    return *this;
  }
  AskedField& one_of(std::initializer_list<std::string_view> all) {
    words.assign(all.begin(), all.end());
    return *this;
  }
  /// Of several texts: with commas between them on the command line. Of one: JSON may have a list.
  AskedField& commas() { return with_commas = true, *this; }
  AskedField& excludes(std::initializer_list<std::string_view> keys) {
    not_with.insert(not_with.end(), keys.begin(), keys.end());
    return *this;
  }
  AskedField& needs(std::string_view other) { return only_with = other, *this; }
  /// The names that values can have.
  AskedField& named(std::vector<NamedValue> all) { return names = std::move(all), *this; }
  AskedField& group(std::string_view name) { return heading = name, *this; }
  /// `--help` only names it, and `--help-all` tells what it does.
  AskedField& seldom() { return heading = kSeldom, *this; }
  AskedField& hidden() { return heading = "", *this; }
  AskedField& also(std::string_view name) { return alias = name, *this; }
  /// What it was called; who says that is told the name.
  AskedField& formerly(std::string_view name) { return old_key = name, *this; }
  AskedField& by_command_line() { return by = By::kCommandLine, *this; }
  AskedField& by_library() { return by = By::kLibrary, *this; }

  std::string_view key;
  Place place;
  std::string usual;  ///< the default; empty: none is shown
  std::string help, help_off;
  By by = By::kAll;
  char letter_ = 0;
  std::string_view at;  ///< positional
  std::string value;    ///< in help: "FILE"
  bool must = false, is_decimal = false, with_commas = false;
  std::int64_t least = 0, most = 999'999'999;
  std::vector<std::string> words;
  std::vector<NamedValue> names;
  std::vector<std::string_view> not_with;
  std::string_view only_with, alias, old_key;
  std::optional<std::string_view> heading;

  /// Whether who asks has said it.
  bool given = false;

  /// Also that it is other than usual: a flag that is off may be said to be off.
  bool is_other() const { return given && (!is_flag() || *std::get<bool*>(place) != is_on()); }

  bool is_flag() const { return std::holds_alternative<bool*>(place); }
  /// A flag that is on unless it is turned off.
  bool is_on() const { return is_flag() && usual == "true"; }
};

class Fields {
 public:
  template <typename Value>
  AskedField& operator()(std::string_view key, Value& value, std::string_view help) {
    using V = std::remove_cvref_t<Value>;
    if constexpr (std::is_same_v<V, bool>) {
      return add(key, &value, value ? "true" : "", help);
    } else if constexpr (std::is_integral_v<V>) {
      return add(key, whole(value), std::to_string(value), help);
    } else if constexpr (std::is_same_v<V, std::string>) {
      return add(key, text(value), value, help);
    } else if constexpr (std::is_same_v<V, std::optional<std::string>>) {
      return add(key, text(value), "", help);
    } else if constexpr (requires { *value + 1; }) {  // an optional number
      return add(key, whole(value), "", help);
    } else {
      return add(key, &value, "", help);
    }
  }

  std::deque<AskedField>& all() { return all_; }
  const std::deque<AskedField>& all() const { return all_; }
  /// @pre there is one
  const AskedField& at(std::string_view key) const;
  /// False also where there is no such field.
  bool given(std::string_view key) const;

 private:
  template <typename Value>
  static AskedField::Place whole(Value& value) {
    return std::function<void(std::int64_t)>([&value](std::int64_t given) {
      if constexpr (std::is_integral_v<Value>) {
        value = static_cast<Value>(given);
      } else {
        value = static_cast<typename Value::value_type>(given);
      }
    });
  }
  template <typename Value>
  static AskedField::Place text(Value& value) {
    return std::function<void(std::string)>([&value](const std::string& given) { value = given; });
  }
  AskedField& add(std::string_view key, AskedField::Place place, std::string usual,
                  std::string_view help);

  std::deque<AskedField> all_;
};

/// What is wrong with a value, in words that go behind its name; empty if nothing is.
std::string fault_of(const AskedField& field, std::string_view text);
std::string fault_of(const AskedField& field, std::int64_t number);

/// "--stop-after", and "--no-pairs" of what is on by default.
std::string option_name(const AskedField& field);

}  // namespace tactus
