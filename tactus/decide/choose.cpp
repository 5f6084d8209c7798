#include "tactus/decide/choose.hpp"

#include "tactus/methods/deploy.hpp"

namespace tactus::decide {
namespace {

std::string why(const Standing& first) {
  switch (first.group) {
    case Group::kRunnable:
      return "which leaves most slack of those that are proved and run here";
    case Group::kNotRunHere:
      return "which leaves most slack of those that are proved; none of them is run here";
    default:
      return "which comes nearest to a proof";
  }
}

}  // namespace

Result<std::optional<Choice>> choose_method(const System& system, const Options& options,
                                            Variants variants,
                                            const std::function<bool(const Method&)>& fits) {
  auto found = deployed_by(system);
  if (!found) return found.error();
  if (const std::optional<Deployed>& deployed = *found) {
    return std::optional(Choice{deployed->method, deployed->variant, "which the file deploys"});
  }
  Options quick = options;
  quick.plan = false;
  std::vector<const Method*> able(registry().begin(), registry().end());
  if (fits) std::erase_if(able, [&](const Method* method) { return !fits(*method); });
  const std::vector<Question> asked = questions(able, quick, variants);
  const std::vector<Verdict> verdicts = analyze_many(system, asked);
  const std::vector<Standing> order = standings(system, asked, verdicts);
  if (order.empty() || order.front().group == Group::kNotApplicable) {
    return std::optional<Choice>();
  }
  const Question& best = asked[order.front().place];
  return std::optional(Choice{best.method, best.options.variant, why(order.front())});
}

}  // namespace tactus::decide
