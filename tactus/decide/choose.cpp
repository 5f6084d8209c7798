#include "tactus/decide/choose.hpp"

#include "tactus/decide/slack.hpp"
#include "tactus/methods/deploy.hpp"

namespace tactus::decide {

Result<std::optional<Choice>> choose_method(const System& system, const Options& options) {
  auto found = deployed_by(system);
  if (const auto* problem = std::get_if<Diagnostic>(&found)) return Error{problem->message};
  if (auto& deployed = std::get<std::optional<Deployed>>(found)) {
    return std::optional(Choice{deployed->method, deployed->variant, "which the file deploys"});
  }
  std::optional<Choice> best, any;
  std::int64_t furthest = -1;
  for (const Method* method : registry()) {
    if (method->monotone.times) {
      const Reach reach = scaling_of(*method, system, options);
      if (!reach.holds || *reach.holds <= furthest) continue;
      furthest = *reach.holds;
      best = Choice{method, options.variant,
                    furthest >= kAsInFile ? "under which all times may grow most"
                                          : "which comes nearest to a proof"};
    } else if (!any && analyze(*method, system, options).status == Status::kSchedulable) {
      any = Choice{method, options.variant, "which proves every deadline"};
    }
  }
  if (best && furthest >= kAsInFile) return best;
  return any ? any : best;
}

}  // namespace tactus::decide
