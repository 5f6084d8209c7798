#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/question.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/verbs/answer.hpp"

/// Methods and their options, as a caller names them.
namespace tactus::verbs {

using Methods = std::vector<const Method*>;

/// The short name of the first method of the registry, for who asks for a policy.
inline constexpr std::string_view kPolicyAlias = "gcaps";

/// The methods of a list, if the options make sense for them.
Answer<Methods> choose(std::string_view list, const Options& options);

/// The verdict of a method, or what is wrong with an option.
Answer<Verdict> analyzed(const Method& method, const System& system, const Options& options);

/// The methods there are.
struct MethodsQuestion {
  std::string method = "all";  ///< a list
};
void describe(MethodsQuestion& question, Fields& is);

struct Listed {
  Methods methods;

  static Exit exit() { return kYes; }
  std::string json() const;
};
Answer<Listed> answer(const MethodsQuestion& question, const Companion& companion);

/// How an answer with this status turned out.
Exit exit_of(Status status);

}  // namespace tactus::verbs
