#include "tactus/methods/method.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/end_to_end.hpp"
#include "tactus/methods/option_values.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/methods/shared_copies.hpp"
#include "tactus/model/writer.hpp"

namespace tactus {

std::optional<std::int64_t> plain_decimal(std::string_view text, int scale) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto points = std::count(text.begin(), text.end(), '.');
  const bool plain =
      !text.empty() && is_digit(text.front()) && is_digit(text.back()) && points <= 1 &&
      std::all_of(text.begin(), text.end(), [&](char c) { return is_digit(c) || c == '.'; });
  if (!plain) return std::nullopt;
  const auto number = parse_scaled(text, scale, Rounding::kUp);
  return number ? std::optional(number->value) : std::nullopt;
}

BadOption::BadOption(std::string_view name, std::string_view expected, std::string_view got)
    : std::runtime_error(fmt::format("--{} must be {}, got {}", name, expected, quote(got))) {}

const Method* find_method(std::string_view id) {
  // What follows a "+" is an extension that the method itself reports: a batch table "+idle".
  const std::string_view base = id.substr(0, id.find('+'));
  for (const Method* method : registry()) {
    if (method->id == base) return method;
  }
  return nullptr;
}

namespace {

/// "; did you mean ...?" with the first id that goes on where a text ends, behind its family;
/// nothing where there is none.
std::string begun_by(std::string_view text, const std::vector<std::string_view>& ids) {
  if (text.find('.') == std::string_view::npos || text.ends_with('.')) return {};
  const auto found = std::find_if(ids.begin(), ids.end(),
                                  [&](std::string_view id) { return id.starts_with(text); });
  return found == ids.end() ? std::string() : fmt::format("; did you mean {}?", quote(*found));
}

}  // namespace

Result<std::vector<const Method*>> select_methods(std::string_view list) {
  const auto all = registry();
  std::vector<bool> chosen(all.size());
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const std::string pattern(list.substr(start, end - start));
    start = end + 1;
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string id(all[i]->id);
      if (pattern != "all" && fnmatch(pattern.c_str(), id.c_str(), 0) != 0) continue;
      chosen[i] = found = true;
    }
    if (found) continue;
    std::vector<std::string_view> ids;
    for (const Method* method : all) ids.push_back(method->id);
    const bool is_family = std::any_of(ids.begin(), ids.end(), [&](std::string_view id) {
      return !pattern.empty() && id.starts_with(pattern + '.');
    });
    if (is_family) {
      return Error{fmt::format("there is no method {}; did you mean {}?", quote(pattern),
                               quote(pattern + ".*"))};
    }
    std::set<std::string> wildcards = {"all"};
    for (const std::string_view id : ids) {
      if (const std::size_t dot = id.find('.'); dot != std::string_view::npos) {
        wildcards.insert(fmt::format("{}.*", id.substr(0, dot)));
      }
    }
    // A family that is misspelt is not a misspelt method, and half a name is no misspelt one.
    std::string meant = begun_by(pattern, ids);
    if (meant.empty()) meant = suggestion(pattern, ids);
    if (meant.empty()) meant = suggestion(pattern, wildcards);
    if (meant.empty()) meant = suggestion(pattern + ".*", wildcards);
    return Error{fmt::format("there is no method {}{}", quote(pattern),
                             meant.empty() ? "; `tactus methods` lists them" : meant)};
  }
  std::vector<const Method*> methods;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (chosen[i]) methods.push_back(all[i]);
  }
  return methods;
}

Result<Verdict> try_analyze(const Method& method, const System& system, const Options& options) {
  const auto in_its_name = [&](Verdict&& verdict) -> Verdict&& {
    if (verdict.method.empty()) verdict.method = method.id;
    verdict.variant = options.variant;
    // Methods of users need not know what an obstacle is.
    if (verdict.status == Status::kNotApplicable && verdict.obstacles.empty()) {
      if (verdict.reason.empty()) verdict.reason = "the method does not say why";
      verdict.obstacles.push_back({verdict.reason, verdict.at});
    }
    if (verdict.status != Status::kNotApplicable) warn_of_shared_copies(system, verdict);
    if (!options.terms) {  // whether or not the method has spared itself the work
      for (TaskVerdict& task : verdict.tasks) {
        task.terms.clear();
        task.details.clear();
      }
    }
    return std::move(verdict);
  };
  const auto& variants = method.variants;
  if (std::find(variants.begin(), variants.end(), options.variant) == variants.end()) {
    return in_its_name(
        Verdict::not_applicable({fmt::format("{} has no variant {}; it has {}", method.id,
                                             quote(options.variant), fmt::join(variants, ", ")),
                                 {}}));
  }
  if (std::string problem = problem_with(method, options); !problem.empty()) {
    return Error{std::move(problem)};
  }
  if (auto refusal = refused_releases(method, system, options)) {
    return in_its_name(Verdict::not_applicable(std::move(*refusal)));
  }
  try {
    Verdict verdict = method.analyst != nullptr ? method.analyst->analyze(system, options)
                                                : method.analyze(system, options);
    add_end_to_end(system, verdict);
    return in_its_name(std::move(verdict));
  } catch (const OverflowError& error) {
    return in_its_name(Verdict::undecided(error.what()));
  } catch (const LimitReached& limit) {
    return in_its_name(Verdict::undecided(limit.what()));
  } catch (const BadOption& bad) {
    return Error{bad.what()};
  }
}

Verdict analyze(const Method& method, const System& system, const Options& options) {
  Result<Verdict> verdict = try_analyze(method, system, options);
  if (verdict) return std::move(*verdict);
  Verdict refused = Verdict::not_applicable({verdict.error().message, {}});
  refused.method = method.id;
  refused.variant = options.variant;
  return refused;
}

namespace {

bool is_by_hand(const Method& method, const json::Value& plan) {
  return method.by_hand != nullptr && method.by_hand(plan);
}

/// The method that a plan names; if it names none, the first method that accepts it.
const Method* method_of_plan(const json::Value& plan, std::optional<std::string_view> id) {
  if (id) return find_method(*id);
  const auto all = registry();
  const auto taker = std::find_if(all.begin(), all.end(),
                                  [&](const Method* each) { return is_by_hand(*each, plan); });
  return taker == all.end() ? nullptr : *taker;
}

}  // namespace

Result<const Method*> plan_maker(const json::Value& plan, const System& system) {
  const auto text = [&](std::string_view key) -> std::optional<std::string_view> {
    const json::Value* value = plan.find(key);
    if (value == nullptr || !value->is(json::Kind::kString)) return std::nullopt;
    return value->text();
  };
  const auto id = text("method");
  const Method* const method = method_of_plan(plan, id);
  // Such a plan need not say where it comes from.
  const bool by_hand = method != nullptr && is_by_hand(*method, plan);
  const auto lacks = [&](std::string_view key) {
    return plan.find(key) == nullptr ? !by_hand : !text(key);
  };
  const json::Value* version = plan.find("tactus");
  const bool other = version && (!version->is(json::Kind::kNumber) || version->text() != "1");
  if (id && method == nullptr && !other) {
    return Error{fmt::format("there is no method {}", quote(*id))};
  }
  if (other || (version == nullptr && !by_hand)) {
    return Error{"this is not a plan (`tactus` must be 1)"};
  }
  if (text("fingerprint") && plan.find("kind") == nullptr) {
    return Error{"this plan does not say its `kind`: an earlier tactus wrote it; make it again"};
  }
  if (lacks("system") || lacks("fingerprint") || lacks("method") || lacks("variant")) {
    return Error{"this is not a plan (`system`, `fingerprint`, `method` or `variant` is wrong)"};
  }
  if (lacks("kind") || text("kind").value_or("plan") != "plan") {
    return Error{"this is not a plan (`kind` must be \"plan\")"};
  }
  const auto made_for = text("fingerprint"), name = text("system");
  if ((made_for && *made_for != fingerprint(system)) || (name && *name != system.name)) {
    return Error{fmt::format("this plan was made for another system than {}", quote(system.name))};
  }
  const auto& variants = method->variants;
  const std::string_view variant = text("variant").value_or(kSafe);
  if (std::find(variants.begin(), variants.end(), variant) == variants.end()) {
    return Error{fmt::format("{} has no variant {}", id.value_or(method->id), quote(variant))};
  }
  return method;
}

}  // namespace tactus
