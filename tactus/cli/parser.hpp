#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
class Option;
}  // namespace CLI

namespace tactus::cli {

class Check;

/// An option of a verb. Each function is the library's of the same name.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option* required();
  Option* check(const Check& check);  ///< numbers.hpp has some
  Option* type_name(const std::string& name);
  Option* capture_default_str();
  Option* excludes(Option* other);
  Option* needs(Option* other);
  Option* group(const std::string& heading);
  Option* delimiter(char between);
  Option* allow_extra_args(bool several);
  Option* expected(int values);

  std::size_t count() const;
  const CLI::Option& parsed() const { return option_; }

 private:
  CLI::Option& option_;
};

/// What a verb tells the command-line library about itself. The library's own header takes longer to
/// compile than any verb, so only files that look into a command line include it.
class Parser {
 public:
  explicit Parser(CLI::App& app) : app_(app) {}
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  Parser* add_subcommand(const std::string& name, const std::string& text);
  /// The verb of this name that was added before, or nothing.
  Parser* subcommand(std::string_view name);
  std::list<Parser>& subcommands() { return verbs_; }
  void require_subcommand(int count);

  /// @tparam Value  what parser.cpp lists
  template <typename Value>
  Option* add_option(const std::string& names, Value& value, const std::string& text = "");
  Option* add_flag(const std::string& names, bool& value, const std::string& text = "");
  template <typename Value>
  Option* add_option_function(const std::string& names,
                              const std::function<void(const Value&)>& take,
                              const std::string& text);
  Option* get_option(const std::string& name);

  void callback(std::function<void()> work);
  void footer(const std::string& text);
  void group(const std::string& heading);

  std::string name() const;
  std::string footer() const;
  CLI::App& app() const { return app_; }

 private:
  Option* kept(CLI::Option* option);

  CLI::App& app_;
  std::list<Parser> verbs_;
  std::list<Option> options_;
};

}  // namespace tactus::cli
