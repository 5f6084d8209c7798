#include "tactus/generate/recipe.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/generate/own_recipes.hpp"
#include "tactus/model/reader.hpp"

namespace tactus {

Settings::Settings(std::span<const Parameter> parameters,
                   const std::map<std::string, std::string, std::less<>>& given) {
  values_.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    values_.push_back({parameter.name, std::string(parameter.default_value)});
  }
  for (const auto& [name, value] : given) {
    const std::size_t known = find(name);
    if (known < values_.size()) {
      values_[known].text = value;
      continue;
    }
    std::vector<std::string_view> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    refuse(name, fmt::format("there is no parameter {}{}", quote(name), suggestion(name, names)));
  }
}

/// The place of a parameter; behind the last one if there is none of that name.
std::size_t Settings::find(std::string_view name) const {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const std::size_t place = (found_last_ + k) % values_.size();
    if (values_[place].name != name) continue;
    found_last_ = (place + 1) % values_.size();
    return place;
  }
  return values_.size();
}

void Settings::refuse(std::string_view parameter, std::string why) {
  if (!error_.empty()) return;
  wrong_ = parameter;
  error_ = std::move(why);
}

void Settings::expect_size(double nodes, double edges) {
  expected_nodes_ = nodes;
  const auto check = [&](double count, std::int64_t most, std::string_view what) {
    if (count <= static_cast<double>(most)) return;
    refuse(fmt::format("these settings can make a system of {:.0f} {}; there can be {}", count,
                       what, most));
  };
  check(nodes, kMostDrawnNodes, "nodes");
  check(edges, kMostDrawnEdges, "edges");
}

template <typename Number>
Number Settings::number(std::string_view kind, std::string_view name, Number least, Number most) {
  const std::string_view value = text(name);
  Number number{};
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = problem == std::errc() && end == value.data() + value.size();
  if (whole && number >= least && number <= most) return number;
  refuse(name, fmt::format("parameter {} must be a {} in [{}, {}], got {}", quote(name), kind,
                           least, most, quote(value)));
  return least;
}

std::int64_t Settings::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  return number("whole number", name, least, most);
}

double Settings::real(std::string_view name, double least, double most) {
  return number("number", name, least, most);
}

IntegerRange Settings::integers(std::string_view low, std::string_view high, std::int64_t least,
                                std::int64_t most) {
  const std::int64_t smallest = integer(low, least, most);
  return {smallest, integer(high, smallest, most)};
}

Range Settings::range(std::string_view low, std::string_view high, double least, double most) {
  const double smallest = real(low, least, most);
  return {smallest, real(high, smallest, most)};
}

bool Settings::flag(std::string_view name) {
  const std::string_view value = text(name);
  if (value != "on" && value != "off") {
    refuse(name, fmt::format("parameter {} must be on or off, got {}", quote(name), quote(value)));
  }
  return value == "on";
}

std::size_t Settings::choice(std::string_view name, std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), text(name));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(name, fmt::format("parameter {} must be one of {}, got {}", quote(name),
                           fmt::join(words, ", "), quote(text(name))));
  return 0;
}

std::string_view Settings::text(std::string_view name) const { return values_[find(name)].text; }

const Recipe* find_recipe(std::string_view name) {
  const auto all = recipes();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Recipe* recipe) { return recipe->name == name; });
  return found == all.end() ? nullptr : *found;
}

Result<System> generate(const Recipe& recipe, Settings settings, std::uint64_t seed,
                        std::uint64_t index) {
  return draw(recipe, settings, seed, index);
}

namespace {

/// What somebody's own recipe draws is not trusted. A problem becomes an error of the settings.
System made_by_own(const Recipe& recipe, Settings& settings, Random& random) {
  const auto refused = [&](std::string_view why) {
    settings.refuse(fmt::format("recipe {} failed: {}", quote(recipe.name), why));
    return System{};
  };
  try {
    System system = recipe.make(settings, random);
    if (!settings.error().empty()) return system;
    system.name = recipe.name;
    ReadResult checked = check_system(std::move(system));
    if (checked.system) return std::move(*checked.system);
    return refused(checked.diagnostics.front().message);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& problem) {
    return refused(problem.what());
  } catch (...) {
    return refused("it threw what is no exception of the standard library");
  }
}

System made(const Recipe& recipe, Settings& settings, Random& random) {
  return is_own(recipe) ? made_by_own(recipe, settings, random) : recipe.make(settings, random);
}

}  // namespace

Result<System> draw(const Recipe& recipe, Settings& settings, std::uint64_t seed,
                    std::uint64_t index) {
  if (!settings.error().empty()) return Error{settings.error()};
  Random random(seed, index);
  System system = made(recipe, settings, random);
  if (!settings.error().empty()) return Error{settings.error()};
  system.name = fmt::format("{}-{}-{}", recipe.name, seed, index);
  return system;
}

std::optional<BadSetting> find_bad_setting(const Recipe& recipe, Settings settings, double* nodes) {
  Random random(0, 0);
  if (settings.error().empty()) made(recipe, settings, random);
  if (settings.error().empty()) {
    if (nodes != nullptr) *nodes += settings.expected_nodes();
    return std::nullopt;
  }
  return BadSetting{settings.wrong_parameter(), settings.error()};
}

}  // namespace tactus
