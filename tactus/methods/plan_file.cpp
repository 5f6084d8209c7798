#include "tactus/methods/plan_file.hpp"

#include <fmt/core.h>

#include "tactus/base/file.hpp"
#include "tactus/methods/end_to_end.hpp"
#include "tactus/methods/plan_differences.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/methods/plan_source.hpp"

namespace tactus {
namespace {

/// The fields that follow from others must agree with them: written again, the plan is the same.
/// One written by hand, which has no fingerprint, need not state them all.
std::vector<std::string> differences(const json::Value& stated, const System& system,
                                     const Verdict& verdict) {
  json::Writer out(json::Layout::kOneLine);
  AnyPlan::write(out, system, verdict);
  const auto written = json::Document::parse(out.take());
  const Stated extent = stated.find("fingerprint") ? Stated::kAll : Stated::kInPart;
  return plan_differences(stated, written->root(), extent);
}

/// A plan may be complete and its bound right, but the bound too late: then it must not be run.
std::vector<std::string> late_tasks(const System& system, const Verdict& verdict) {
  std::vector<std::string> late;
  for (const TaskVerdict& task : verdict.tasks) {
    if (!task.bound || !task.deadline || *task.bound <= *task.deadline) continue;
    late.push_back(fmt::format("deadline: the bound {} of task {} exceeds its deadline {}",
                               format_time(*task.bound, system.time_unit),
                               quote(system.tasks[task.task].name),
                               format_time(*task.deadline, system.time_unit)));
  }
  return late;
}

std::vector<std::string> late_chains(const System& system, const Verdict& verdict) {
  std::vector<std::string> late;
  for (const ChainVerdict& chain : verdict.chains) {
    if (chain.holds) continue;
    late.push_back(fmt::format("chain {} does not hold under this plan",
                               quote(system.chains[chain.chain].name)));
  }
  return late;
}

Result<PlanFile> read(const json::Document& document, std::string_view name, const System& system) {
  const json::Value& root = document.root();
  const Result<const Method*> maker = plan_maker(root, system);
  if (!maker) return Error{maker.error().message, std::string(name)};
  const Method& method = **maker;
  if (method.read_plan == nullptr || method.check_plan == nullptr) {
    return Error{fmt::format("{} makes no plans", method.id), std::string(name)};
  }
  PlanFile file;
  file.plan.method = &method;
  Verdict& verdict = file.plan.verdict;
  try {
    verdict = method.read_plan(system, root);
    if (verdict.method.empty()) verdict.method = method.id;
    const json::Value* variant = root.find("variant");
    verdict.variant = variant ? variant->text() : kSafe;
    add_end_to_end(system, verdict);
    file.failures = method.check_plan(system, root);
    // Only a plan that is sound can be written again.
    if (file.failures.empty()) file.failures = differences(root, system, verdict);
    if (file.failures.empty()) file.failures = late_tasks(system, verdict);
    if (file.failures.empty()) file.failures = late_chains(system, verdict);
  } catch (const plan_source::Malformed& malformed) {
    return Error{malformed.what(), std::string(name), document.position(malformed.offset())};
  } catch (const OverflowError& overflow) {
    return Error{overflow.what(), std::string(name)};
  }
  return file;
}

}  // namespace

Result<PlanFile> read_plan_file(std::string text, std::string_view name, const System& system) {
  const auto parsed = json::Document::parse(std::move(text));
  if (!parsed) return Error{parsed.error().message, std::string(name), parsed.error().at};
  return read(*parsed, name, system);
}

Result<LoadedPlan> usable_plan(std::string text, std::string_view name, const System& system) {
  Result<PlanFile> file = read_plan_file(std::move(text), name, system);
  if (!file) return file.error();
  if (!file->failures.empty()) {
    return Error{fmt::format("this plan does not hold: {}{}", file->failures.front(),
                             file->failures.size() == 1 ? "" : "; `tactus plan --check` says more"),
                 std::string(name)};
  }
  return std::move(file->plan);
}

Result<LoadedPlan> load_plan(const std::string& path, const System& system) {
  Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  return usable_plan(std::move(*text), path, system);
}

}  // namespace tactus
