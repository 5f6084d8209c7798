#include "tactus/cli/parser.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tactus/cli/numbers.hpp"

namespace tactus::cli {

Option* Option::required() {
  option_.required();
  return this;
}

Option* Option::check(const Check& check) {
  option_.check(check.validator());
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_.type_name(name);
  return this;
}

Option* Option::capture_default_str() {
  option_.capture_default_str();
  return this;
}

Option* Option::excludes(Option* other) {
  option_.excludes(&other->option_);
  return this;
}

Option* Option::needs(Option* other) {
  option_.needs(&other->option_);
  return this;
}

Option* Option::group(const std::string& heading) {
  option_.group(heading);
  return this;
}

Option* Option::delimiter(char between) {
  option_.delimiter(between);
  return this;
}

Option* Option::allow_extra_args(bool several) {
  option_.allow_extra_args(several);
  return this;
}

Option* Option::expected(int values) {
  option_.expected(values);
  return this;
}

std::size_t Option::count() const { return option_.count(); }

Parser* Parser::add_subcommand(const std::string& name, const std::string& text) {
  return &verbs_.emplace_back(*app_.add_subcommand(name, text));
}

Parser* Parser::subcommand(std::string_view name) {
  const auto found = std::find_if(verbs_.begin(), verbs_.end(),
                                  [&](const Parser& verb) { return verb.name() == name; });
  return found == verbs_.end() ? nullptr : &*found;
}

void Parser::require_subcommand(int count) { app_.require_subcommand(count); }

template <typename Value>
Option* Parser::add_option(const std::string& names, Value& value, const std::string& text) {
  return kept(app_.add_option(names, value, text));
}

Option* Parser::add_flag(const std::string& names, bool& value, const std::string& text) {
  return kept(app_.add_flag(names, value, text));
}

template <typename Value>
Option* Parser::add_option_function(const std::string& names,
                                    const std::function<void(const Value&)>& take,
                                    const std::string& text) {
  return kept(app_.add_option_function<Value>(names, take, text));
}

Option* Parser::get_option(const std::string& name) { return kept(app_.get_option(name)); }

void Parser::callback(std::function<void()> work) { app_.callback(std::move(work)); }

void Parser::footer(const std::string& text) { app_.footer(text); }

void Parser::group(const std::string& heading) { app_.group(heading); }

std::string Parser::name() const { return app_.get_name(); }

std::string Parser::footer() const { return app_.get_footer(); }

Option* Parser::kept(CLI::Option* option) {
  const auto known = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& one) { return &one.parsed() == option; });
  return known != options_.end() ? &*known : &options_.emplace_back(*option);
}

#define TACTUS_TAKES(...) \
  template Option* Parser::add_option(const std::string&, __VA_ARGS__&, const std::string&)
TACTUS_TAKES(std::string);
TACTUS_TAKES(int);
TACTUS_TAKES(unsigned);
TACTUS_TAKES(double);
TACTUS_TAKES(std::int64_t);
TACTUS_TAKES(std::uint64_t);
TACTUS_TAKES(std::vector<std::string>);
TACTUS_TAKES(std::vector<int>);
TACTUS_TAKES(std::optional<std::string>);
TACTUS_TAKES(std::optional<int>);
TACTUS_TAKES(std::optional<unsigned>);
TACTUS_TAKES(std::optional<std::int64_t>);
#undef TACTUS_TAKES

template Option* Parser::add_option_function(const std::string&,
                                             const std::function<void(const std::int64_t&)>&,
                                             const std::string&);
template Option* Parser::add_option_function(
    const std::string&, const std::function<void(const std::vector<std::string>&)>&,
    const std::string&);

}  // namespace tactus::cli
