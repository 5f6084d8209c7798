#include "tactus/verbs/reserve.hpp"

#include <algorithm>

#include "tactus/base/decimal.hpp"
#include "tactus/report/reserve.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::verbs {

void describe(ReserveQuestion& question, Fields& is) {
  describe(question.about, is);
  is("trust", question.trust,
     "Nobody holds tasks that share a core to their CPU time; the answer names whom each trusts");
  is("enforce", question.enforce, "GPU segments are held to their lengths")
      .off("GPU segments are not held to their lengths: who takes longer delays others");
  is("notice", question.notice, "From a violation to the decision, at most, in the file's unit")
      .decimal()
      .shows_default("50 us");
  is("all_places", question.all_places, "Try other places, too")
      .off("Only the place by its deadline");
  is("instead", question.instead, "Search what would be admitted instead")
      .off("Do not search what would be admitted instead of what is refused");
}

Exit Reserved::exit() const {
  if (run.stopped) return kUnknown;
  if (run.count(reserve::Answer::Kind::kRefused) > 0) return kNo;
  return run.count(reserve::Answer::Kind::kNotCovered) > 0 ? kUnknown : kYes;
}

std::string Reserved::json() const {
  return report::reserve_json(edited.system, run, edited.changes);
}

Answer<Reserved> answer(const ReserveQuestion& question, const Companion& companion) {
  reserve::Rules rules;
  rules.enforced = question.enforce;
  rules.cpu_trusted = question.trust;
  rules.all_places = question.all_places;
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  const System& system = edited->system;
  if (!question.notice.empty()) {
    const auto notice =
        parse_scaled(question.notice, decimal_places(system.time_unit), Rounding::kUp);
    if (!notice) return NoAnswer::bad_input("--notice is too long");
    rules.notice = Time::from_ns(notice->value);
  }
  const bool spins = std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return !task.best_effort && task.wait == WaitMode::kBusy;
  });
  if (spins) rules.mode = gcaps::Mode::kBusy;
  if (!question.notice.empty() && !question.enforce && (question.trust || spins)) {
    companion.warn({.message = "--notice has no effect: nobody is held to a length",
                    .severity = Severity::kWarning});
  }
  Reserved made{{}, reserve::dry_run(system, rules, question.instead, companion.stop)};
  if (made.run.requests.empty()) {
    return NoAnswer::bad_input(question.about.name() + ": no task asks: all are best effort");
  }
  made.edited = std::move(*edited);
  return made;
}

}  // namespace tactus::verbs
