#include "tactus/methods/coverage.hpp"

#include <algorithm>

#include "tactus/methods/deploy.hpp"

namespace tactus {

std::vector<Diagnostic> check_for_methods(const System& system) {
  std::vector<Diagnostic> found;
  if (const auto deployed = deployed_by(system); !deployed) found.push_back(deployed.error());
  // A method that has been asked to stop looks at the file, and ends before it analyses anything.
  std::stop_source stopped;
  stopped.request_stop();
  Options options;
  options.plan = false;
  options.stop = stopped.get_token();
  const auto refuses = [&](const Method* method) {
    return analyze(*method, system, options).status == Status::kNotApplicable;
  };
  const auto all = registry();
  if (std::all_of(all.begin(), all.end(), refuses)) {
    found.push_back(
        {.message = "no method covers this file; `tactus analyze` says what each of them needs",
         .severity = Severity::kWarning});
  }
  return found;
}

}  // namespace tactus
