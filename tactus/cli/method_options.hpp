#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tactus/cli/parser.hpp"
#include "tactus/verbs/methods.hpp"

namespace tactus::cli {

/// The group of options that only some methods have. Help shows those of the methods that are named.
inline constexpr std::string_view kMethodOptionsGroup = "Options of methods";

/// The arguments that choose methods and set their options. What methods offer beyond `--variant`
/// comes from the registry, so a new method needs no change here.
class MethodOptions {
 public:
  /// Adds `--method`, `--variant`, `-j` and the options of all methods to a verb. An empty default
  /// means that the caller asks `given()`. With `--policy` a method may have its short name.
  void add_to(Parser& verb, const std::string& default_method,
              const std::string& names = "-m,--method");

  /// The chosen methods, or nothing after a complaint about the arguments.
  std::optional<verbs::Methods> methods() const;
  /// The options for them. @pre `methods()` gave some.
  Options options() const;
  bool given() const { return !list_.empty(); }
  /// Did the caller name methods, instead of leaving it to the default?
  bool named() const { return option_ != nullptr && option_->count() > 0; }
  bool all() const { return list_ == "all"; }
  /// Was one method named by its short name?
  bool by_alias() const { return takes_alias_ && list_ == verbs::kPolicyAlias; }
  /// The variant, where it was given.
  std::optional<std::string> variant() const;

 private:
  std::string list_;
  const Option* option_ = nullptr;
  bool takes_alias_ = false;
  const Option* variant_option_ = nullptr;
  std::string variant_{kSafe};
  int threads_ = 1;
  std::map<std::string, std::optional<std::string>, std::less<>> values_;
  std::map<std::string, bool> flags_;
};

}  // namespace tactus::cli
