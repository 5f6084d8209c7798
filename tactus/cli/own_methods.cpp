#include "tactus/cli/own_methods.hpp"

#include <fmt/core.h>

#include <map>

#include "tactus/base/diagnostic.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/simulate/plugin.hpp"

namespace tactus::cli {
namespace {

constexpr std::string_view kCommand = "--method-command", kPolicy = "--method-policy",
                           kTime = "--method-time", kPlugin = "--plugin";
constexpr double kSeconds = 60;

/// The values of an option among the words, however it is written.
std::vector<std::string> values_of(std::string_view option, std::span<const std::string> words) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view word = words[i];
    if (word == option && i + 1 < words.size()) values.push_back(words[++i]);
    if (word.size() > option.size() && word.starts_with(option) && word[option.size()] == '=') {
      values.emplace_back(word.substr(option.size() + 1));
    }
  }
  return values;
}

/// "ID=REST"
struct Named {
  std::string id, rest;
};
Result<Named> named(std::string_view option, std::string_view what, const std::string& value) {
  const std::size_t equals = value.find('=');
  const std::string id = value.substr(0, equals);
  if (equals == std::string::npos || own::problem_with_id(id)) {
    return Error{
        fmt::format("{} takes ID={}, where ID is the new method's (a-z, 0-9, dots, `-`, "
                    "`_`), got {}",
                    option, what, quote(value))};
  }
  if (equals + 1 == value.size()) return Error{fmt::format("{} {}= has no {}", option, id, what)};
  return Named{id, value.substr(equals + 1)};
}

}  // namespace

std::optional<Error> OwnMethods::join(std::span<const std::string> words) {
  for (const std::string& path : values_of(kPlugin, words)) {
    if (auto problem = load_plugin(path)) return problem;
  }
  double seconds = kSeconds;
  for (const std::string& value : values_of(kTime, words)) {
    const auto number = plain_decimal(value, 3);
    constexpr std::int64_t kMost = 86'400'000;
    if (!number || *number < 1 || *number > kMost) {
      return Error{fmt::format("{} must be a number of seconds from 0.001 to {}, got {}", kTime,
                               kMost / 1000, quote(value))};
    }
    seconds = static_cast<double>(*number) / 1000;
  }
  std::map<std::string, const Method*> policies;
  for (const std::string& value : values_of(kPolicy, words)) {
    const auto pair = named(kPolicy, "POLICY", value);
    if (!pair) return pair.error();
    const auto method = own::method_of_policy(pair->rest);
    if (!method) return Error{fmt::format("{} {}: {}", kPolicy, pair->id, method.error().message)};
    policies[pair->id] = *method;
  }
  for (const std::string& value : values_of(kCommand, words)) {
    auto pair = named(kCommand, "COMMAND", value);
    if (!pair) return pair.error();
    const auto policy = policies.extract(pair->id);
    commands_.push_back(std::make_unique<own::CommandMethod>(
        pair->id, pair->rest, policy ? policy.mapped() : nullptr, seconds));
    if (auto problem = commands_.back()->join()) return problem;
  }
  if (policies.empty()) return std::nullopt;
  return Error{fmt::format("{} names {}, but no {} does", kPolicy, quote(policies.begin()->first),
                           kCommand)};
}

void OwnMethods::tell_failures() const {
  for (const auto& command : commands_) {
    const std::uint64_t failures = command->failures();
    if (failures == 0) continue;
    complain(
        fmt::format("tactus: {}{}", command->first_failure(),
                    failures == 1 ? "" : fmt::format(" (the first of {} failures)", failures)));
  }
}

void describe(OwnMethods& own, Fields& is) {
  is("method_command", own.unread_,
     "A method of your own: a command that answers questions in JSON lines; may be given several "
     "times")
      .shows("ID=COMMAND")
      .group(kOwnMethodsGroup);
  is("method_policy", own.unread_,
     "What happens at run time under it: the policy of this method, or of this name")
      .shows("ID=POLICY")
      .group(kOwnMethodsGroup);
  is("plugin", own.unread_,
     "A shared object with methods, policies and recipes of your own; may be given several times")
      .shows("FILE")
      .group(kOwnMethodsGroup);
  is("method_time", own.unread_, "How long one answer of a command may take (default: 60)")
      .shows("SECONDS")
      .group(kOwnMethodsGroup);
}

}  // namespace tactus::cli
