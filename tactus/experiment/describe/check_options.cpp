#include "tactus/experiment/describe/check_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/model/codec.hpp"

namespace tactus::experiment {
namespace {

/// The value of an option must be one that the method could be given on the command line.
void check_option(const OptionSpec& option, const json::Value& value, ReadContext& context) {
  const bool flag = option.value.empty();
  const bool choice = option.value.find('|') != std::string_view::npos;
  if (flag && (!value.is(json::Kind::kBool) || !value.boolean())) {
    codec::mismatch(value, option.name, context, "true (leave it out for no)");
  }
  if (!choice) return;
  const std::string among = fmt::format("|{}|", option.value);
  const bool is_text = value.is(json::Kind::kString) || value.is(json::Kind::kNumber);
  if (is_text && among.find(fmt::format("|{}|", value.text())) != std::string::npos) return;
  codec::mismatch(value, option.name, context, fmt::format("one of {}", option.value));
}

constexpr std::size_t kMark = 2;  // "--"

}  // namespace

void check_options(const json::Value& options, const Method& method, ReadContext& context) {
  std::vector<std::string_view> known;
  for (const OptionSpec& option : method.options) known.push_back(option.name);
  for (const json::Member& member : options.members()) {
    const auto found = std::find(known.begin(), known.end(), member.key);
    if (found != known.end()) {
      check_option(method.options[static_cast<std::size_t>(found - known.begin())], member.value,
                   context);
      continue;
    }
    context.error(member, fmt::format("{} has no option {}{}", method.id, quote(member.key),
                                      suggestion(member.key, known)));
  }
}

void check_swept_option(const json::Value& name, ReadContext& context,
                        const Experiment& experiment) {
  const std::string_view option = std::string_view(name.text()).substr(kMark);
  for (const Line& line : experiment.lines) {
    for (const OptionSpec& known : find_method(line.method)->options) {
      if (known.name == option && !known.value.empty()) return;
    }
  }
  context.error(name, fmt::format("no line has an option {} with a value", quote(name.text())));
}

void check_case_option(const json::Member& member, ReadContext& context,
                       const Experiment& experiment) {
  for (const Line& line : experiment.lines) {
    for (const OptionSpec& known : find_method(line.method)->options) {
      if (known.name == member.key.substr(kMark)) return check_option(known, member.value, context);
    }
  }
  context.error(member, fmt::format("no line has an option {}", quote(member.key)));
}

}  // namespace tactus::experiment
