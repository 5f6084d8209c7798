#pragma once

#include <array>
#include <memory>
#include <string>

#include "tactus/methods/method.hpp"

/// Methods that join while the program runs.
namespace tactus::own {

/// Is this an id that every list, wildcard and file name can hold? Else why not.
std::optional<Error> problem_with_id(std::string_view id);

/// The method whose policy `name` means: a method's id, or the name of a policy. Or why there is
/// none.
Result<const Method*> method_of_policy(std::string_view name);

/// Something that answers questions, under its id in the registry. It must outlive the use of the
/// library, and is never moved.
class OwnMethod {
 public:
  /// @param origin the words of the command line that bring it in, or other words for people; also
  /// what results in a store are told apart by
  /// @param runs_as the method whose policy it shares; null: it has none
  OwnMethod(std::string id, std::string title, std::string origin, const Method* runs_as);
  OwnMethod(const OwnMethod&) = delete;
  OwnMethod& operator=(const OwnMethod&) = delete;

  /// Adds it to the registry, with the one who answers.
  std::optional<Error> join(const Analyst& analyst);

  const Method& method() const { return method_; }
  const Method* runs_as() const { return runs_as_; }

 private:
  std::string id_, title_, origin_, why_no_policy_;
  const Method* runs_as_;
  Method method_;
};

}  // namespace tactus::own
