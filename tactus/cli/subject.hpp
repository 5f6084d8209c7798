#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tactus/cli/method_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

/// What several verbs work on: a method with its verdict on a system, and the plan in it.
namespace tactus::cli {

struct Subject {
  const Method* method = nullptr;
  Verdict verdict;
};

/// Or, after a complaint, what the process returns.
using SubjectOrExit = std::variant<Subject, Exit>;

/// The plan of a file, checked, with the bounds that go with it.
SubjectOrExit plan_of_file(const std::string& path, const System& system);

/// A plan that the one chosen method makes now for the system of a file; can be interrupted.
SubjectOrExit plan_made_now(const MethodOptions& choice, const std::string& file,
                            const System& system);

/// Tells everything that keeps a method from covering the system of a file, each with its place.
Exit complain_of_obstacles(const std::string& file, const Verdict& verdict);

/// The exit code of the process for this status.
Exit exit_code_of(Status status);

/// The value of an option that is a time > 0 in the file's unit; nothing after a complaint.
std::optional<Time> time_argument(std::string_view option, std::string_view text,
                                  const System& system);

}  // namespace tactus::cli
