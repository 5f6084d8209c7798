#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "tactus/base/random.hpp"
#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

/// Random systems. A recipe is one entry of the list; the command line finds it there.
namespace tactus {

/// A knob of a recipe, set with `--set name=value`.
struct Parameter {
  std::string_view name;
  std::string_view default_value;
  std::string_view doc;
};

/// The largest system that a recipe draws. A few characters of settings could ask for more than
/// fits into a machine.
inline constexpr std::int64_t kMostDrawnNodes = 1'000'000;
inline constexpr std::int64_t kMostDrawnEdges = 10'000'000;

/// An interval to draw from.
struct Range {
  double low = 0, high = 0;
  double draw(Random& random) const { return random.real(low, high); }
};
struct IntegerRange {
  std::int64_t low = 0, high = 0;
  std::int64_t draw(Random& random) const { return random.integer(low, high); }
};

/// The values of a recipe's parameters. A value of the wrong kind, or out of range, makes `error`
/// non-empty and gives the nearest usable value. The first error is kept.
class Settings {
 public:
  Settings(std::span<const Parameter> parameters,
           const std::map<std::string, std::string, std::less<>>& given);

  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most);
  double real(std::string_view name, double least, double most);
  /// Two parameters, of which the second must not be smaller.
  IntegerRange integers(std::string_view low, std::string_view high, std::int64_t least,
                        std::int64_t most);
  Range range(std::string_view low, std::string_view high, double least, double most);
  bool flag(std::string_view name);  ///< on|off
  /// The place of the value among `words`.
  std::size_t choice(std::string_view name, std::span<const std::string_view> words);
  std::string_view text(std::string_view name) const;

  /// What a recipe makes of its settings, once for all systems that are drawn with them.
  template <typename Setup>
  const Setup& read_once(Setup (*read)(Settings&)) {
    if (setup_of_ != &typeid(Setup)) {
      setup_ = std::make_shared<const Setup>(read(*this));
      setup_of_ = &typeid(Setup);
    }
    return *static_cast<const Setup*>(setup_.get());
  }

  const std::string& error() const { return error_; }
  /// The parameter that the error is about; empty if it is not a single one.
  const std::string& wrong_parameter() const { return wrong_; }
  /// A recipe says before it draws how large a system can get; a system that is too large is
  /// refused. If the number of edges is random, `edges` is the expected number.
  void expect_size(double nodes, double edges);
  /// The nodes that were expected; 0 before a recipe said.
  double expected_nodes() const { return expected_nodes_; }
  /// For errors that are not about a single parameter.
  void refuse(std::string why) { refuse({}, std::move(why)); }

 private:
  template <typename Number>
  Number number(std::string_view kind, std::string_view name, Number least, Number most);
  void refuse(std::string_view parameter, std::string why);

  /// A recipe asks for its parameters in their order: each is found where the last one was.
  struct Value {
    std::string_view name;
    std::string text;
  };
  std::size_t find(std::string_view name) const;

  std::vector<Value> values_;
  mutable std::size_t found_last_ = 0;
  std::string error_, wrong_;
  double expected_nodes_ = 0;
  std::shared_ptr<const void> setup_;
  const std::type_info* setup_of_ = nullptr;
};

struct Recipe {
  std::string_view name;
  std::string_view doc;
  std::span<const Parameter> parameters;
  /// One system. Everything random comes from `random`, in a documented order of draws. Only the
  /// settings decide what is refused: if one system can be drawn, all can. It calls
  /// `Settings::expect_size` before it draws what could be large.
  System (*make)(Settings& settings, Random& random) = nullptr;
};

/// Every recipe, in the order in which they are shown.
std::span<const Recipe* const> recipes();

/// The recipe with that name, or null.
const Recipe* find_recipe(std::string_view name);

/// The index-th system of a recipe, or what is wrong with the settings. Its name is
/// "<recipe>-<seed>-<index>".
Result<System> generate(const Recipe& recipe, Settings settings, std::uint64_t seed,
                        std::uint64_t index);

/// The same for settings that serve for many systems: once one was drawn with them, all can be.
Result<System> draw(const Recipe& recipe, Settings& settings, std::uint64_t seed,
                    std::uint64_t index);

/// Why a recipe cannot draw with these settings.
struct BadSetting {
  std::string parameter;  ///< empty if it is not a single one
  std::string message;
};
/// `nodes`, where given, grows by the size of the system that was drawn to find out.
std::optional<BadSetting> find_bad_setting(const Recipe& recipe, Settings settings,
                                           double* nodes = nullptr);

}  // namespace tactus
