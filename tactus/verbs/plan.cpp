#include "tactus/verbs/plan.hpp"

#include "tactus/report/plan.hpp"
#include "tactus/verbs/slack.hpp"

namespace tactus::verbs {

void describe(PlanQuestion& question, Fields& is) {
  describe(question.about, is);
  describe(question.choice, is, false);
}

std::string Planned::json() const { return report::plan_json(edited.system, subject.verdict); }

Answer<Subject> plan_made_now(const MethodChoice& choice, const System& system,
                              const std::string& name, const Companion& companion,
                              const std::function<bool(const Method&)>& fits, std::string& why) {
  Options options = choice.with(companion);
  if (choice.named()) {
    const auto methods = choice.methods();
    if (!methods) return methods.none();
    return plan_made_now(*methods, system, name, options);
  }
  const auto usual = choose_one({}, system, name, options, choice.variant, fits);
  if (!usual) return usual.none();
  why = choice_text(*usual);
  options.variant = usual->variant;
  return plan_made_now({usual->method}, system, name, options);
}

Answer<Planned> answer(const PlanQuestion& question, const Companion& companion) {
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  std::string why;
  auto made = plan_made_now(
      question.choice, edited->system, question.about.name(), companion,
      [](const Method& method) { return method.makes_plan; }, why);
  if (!made) return made.none();
  return Planned{std::move(*edited), std::move(*made), std::move(why)};
}

void describe(CheckPlanQuestion& question, Fields& is) {
  describe(question.about, is);
  is("plan", question.plan, "The plan").shows("PLAN").required();
}

std::string CheckedPlan::json() const {
  return report::plan_check_json(edited.system, file, edited.changes);
}

Answer<CheckedPlan> answer(const CheckPlanQuestion& question, const Companion& companion) {
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  auto file = plan_file(question.plan, edited->system);
  if (!file) return file.none();
  return CheckedPlan{std::move(*edited), std::move(*file)};
}

}  // namespace tactus::verbs
