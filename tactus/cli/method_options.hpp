#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tactus/methods/method.hpp"

namespace tactus::cli {

/// The arguments that choose methods and set their options. What methods offer beyond `--variant`
/// comes from the registry, so a new method needs no change here.
class MethodOptions {
 public:
  /// Adds `--method`, `--variant`, `-j` and the options of all methods to a verb. An empty default
  /// means that the caller asks `given()`.
  void add_to(CLI::App& verb, const std::string& default_method,
              const std::string& names = "-m,--method");

  /// The chosen methods, or nothing after a complaint about the arguments.
  std::optional<std::vector<const Method*>> methods() const;
  /// The options for them. @pre `methods()` gave some.
  Options options() const;
  /// What a method says with these options; nothing after a complaint about one of them.
  static std::optional<Verdict> analyzed(const Method& method, const System& system,
                                         const Options& options);
  bool given() const { return !list_.empty(); }
  bool all() const { return list_ == "all"; }

 private:
  std::string list_;
  std::string variant_{kSafe};
  int threads_ = 1;
  std::map<std::string, std::optional<std::string>, std::less<>> values_;
  std::map<std::string, bool> flags_;
};

}  // namespace tactus::cli
