#include "tactus/methods/own/own_method.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus::own {
namespace {

constexpr std::array<std::string_view, 1> kVariants = {kSafe};

}  // namespace

std::optional<Error> problem_with_id(std::string_view id) {
  constexpr std::size_t kLongest = 100;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  };
  if (!id.empty() && id.size() <= kLongest && id != "all" && id.front() >= 'a' &&
      id.front() <= 'z' && std::all_of(id.begin(), id.end(), is_plain)) {
    return std::nullopt;
  }
  return Error{
      fmt::format("the id of a method is made of a-z, 0-9, dots, `-` and `_`, and begins "
                  "with a letter, got {}",
                  quote(id))};
}

Result<const Method*> method_of_policy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Method* method : registry()) {
    if (method->behaviour.name.empty()) continue;
    if (method->id == name || method->behaviour.name == name) return method;
    names.push_back(method->id);
    names.push_back(method->behaviour.name);
  }
  return Error{fmt::format("there is no policy {}{}", quote(name), suggestion(name, names))};
}

OwnMethod::OwnMethod(std::string id, std::string title, std::string origin, const Method* runs_as)
    : id_(std::move(id)),
      title_(std::move(title)),
      origin_(std::move(origin)),
      why_no_policy_(fmt::format("it names no policy; --method-policy {}=POLICY names one", id_)),
      runs_as_(runs_as) {
  method_.id = id_;
  method_.title = title_;
  method_.paper = "your own";
  method_.assumes = "what it says itself, system by system";
  method_.needs = runs_as == nullptr ? std::string_view("not stated") : runs_as->needs;
  method_.variants = kVariants;
  method_.origin = origin_;
  method_.behaviour =
      runs_as == nullptr ? Behaviour{.why_none = why_no_policy_} : runs_as->behaviour;
}

std::optional<Error> OwnMethod::join(const Analyst& analyst) {
  if (auto problem = problem_with_id(id_)) return problem;
  method_.analyst = &analyst;
  return add_method(method_);
}

}  // namespace tactus::own
