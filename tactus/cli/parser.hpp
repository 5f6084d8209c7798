#pragma once

#include <functional>
#include <list>
#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): a library's
class App;
}  // namespace CLI

namespace tactus::cli {

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

  void callback(std::function<void()> work);
  void footer(const std::string& text);
  void group(const std::string& heading);

  std::string name() const;
  std::string footer() const;
  CLI::App& app() const { return app_; }

 private:
  CLI::App& app_;
  std::list<Parser> verbs_;
};

}  // namespace tactus::cli
