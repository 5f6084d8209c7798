#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tactus/cli/method_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/verbs/subject.hpp"

/// What several verbs work on, from what the command line names.
namespace tactus::cli {

using verbs::Subject;

/// Or, after a complaint, what the process returns.
using SubjectOrExit = std::variant<Subject, Exit>;

/// The plan of a file, checked, with the bounds that go with it.
SubjectOrExit plan_of_file(const std::string& path, const System& system);

/// A plan that the one chosen method makes now for the system of a file; can be interrupted. Where
/// none is chosen it is the one that the file deploys, else the best of those that fit.
/// @param why is told which method was taken where none was chosen
SubjectOrExit plan_made_now(const MethodOptions& choice, const std::string& file,
                            const System& system, const std::function<bool(const Method&)>& fits,
                            std::string& why);

/// The subject, or the exit code after a complaint.
SubjectOrExit subject_or_complaint(verbs::Answer<Subject> answer);

/// The value of an option that is a time > 0 in the file's unit; nothing after a complaint.
std::optional<Time> time_argument(std::string_view option, std::string_view text,
                                  const System& system);

}  // namespace tactus::cli
