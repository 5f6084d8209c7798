#include <fmt/core.h>
#include <fmt/ranges.h>

#include "tactus/base/json_writer.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/report/text/wrap.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus::report {
namespace {

/// Why the policy of a method cannot be simulated; empty if it can.
std::string why_not_simulated(const Method& method) {
  const auto policy = simulate::find_policy(method);
  return policy ? std::string() : policy.error().message;
}

std::string yes_or(const std::string& why_not) {
  return why_not.empty() ? "yes" : "no: " + why_not;
}

/// The same of running its plans.
std::string why_not_run(const Method& method) {
  if (!method.makes_plan) return "it makes no plans";
  const auto deployment = decide::deployment_of(method);
  return deployment ? std::string() : deployment.error().message;
}

/// "yes, by tactusd (variant safe-arbiter)".
std::string run_text(const Method& method) {
  if (const std::string why = why_not_run(method); !why.empty()) return yes_or(why);
  const auto deployment = decide::deployment_of(method);
  return fmt::format("yes, by {} (variant {})", to_string(deployment->way), deployment->variant);
}

void write_ability(json::Writer& out, std::string_view key, const std::string& why_not) {
  out.key(key).boolean(why_not.empty());
  if (!why_not.empty()) out.key(fmt::format("why_not_{}", key)).string(why_not);
}

void write_method(json::Writer& out, const Method& method) {
  out.begin_object();
  out.key("id").string(method.id);
  out.key("title").string(method.title);
  out.key("paper").string(method.paper);
  if (!method.origin.empty()) out.key("origin").string(method.origin);
  out.key("assumes").string(method.assumes);
  out.key("needs").string(method.needs);
  out.key("variants").begin_array();
  for (std::string_view variant : method.variants) out.string(variant);
  out.end_array();
  out.key("makes_plan").boolean(method.makes_plan);
  write_ability(out, "simulated", why_not_simulated(method));
  write_ability(out, "run", why_not_run(method));
  if (const auto deployment = decide::deployment_of(method); deployment && method.makes_plan) {
    out.key("run_by").string(to_string(deployment->way));
    out.key("run_variant").string(deployment->variant);
  }
  out.key("options").begin_array();
  for (const OptionSpec& option : method.options) {
    out.begin_object().key("name").string(option.name);
    out.key("value").string(option.value).key("doc").string(option.doc).end_object();
  }
  out.end_array().end_object();
}

}  // namespace

std::string method_text(const Method& method, const Style& style) {
  std::string out = heading(method.id, Ink::kBold, fmt::format(": {}", method.title), style);
  const auto add = [&](std::string_view what, std::string_view text) {
    out += heading("", Ink::kPlain, fmt::format("  {:<9} {}", what, text), style);
  };
  add("paper", method.paper);
  add("assumes", method.assumes);
  add("needs", method.needs);
  add("variants", fmt::format("{}", fmt::join(method.variants, ", ")));
  add("plan", method.makes_plan ? "yes" : "no");
  add("simulate", yes_or(why_not_simulated(method)));
  add("run", run_text(method));
  for (const OptionSpec& option : method.options) {
    add(fmt::format("--{} {} ", option.name, option.value), option.doc);
  }
  return out;
}

std::string methods_json(std::span<const Method* const> methods) {
  json::Writer out;
  codec::begin_document(out, "methods");
  out.key("methods").begin_array();
  for (const Method* method : methods) write_method(out, *method);
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
