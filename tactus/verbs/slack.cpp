#include "tactus/verbs/slack.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/report/slack.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::verbs {

void describe(SlackQuestion& question, Fields& is) {
  describe(question.about, is);
  describe(question.choice, is, false);
  is("sweep", question.sweep,
     "Bounds along one value: camera.detect.wcet=9..12, gpu.units=8..16, all=0.5..2")
      .shows("NAME=FROM..TO");
  is("points", question.points, "Of a sweep").range(2, 10'000).needs("sweep");
}

report::Swept Slacked::swept() const {
  return {edited.system, *choice.method, choice.variant, *range, points};
}

Exit Slacked::exit() const {
  if (stopped) return kUnknown;
  return slack ? exit_of(slack->verdict.status) : kYes;
}

std::string Slacked::json() const {
  return slack ? report::slack_json(edited.system, *slack, edited.changes)
               : report::sweep_json(swept(), edited.changes);
}

Answer<Slacked> answer(const SlackQuestion& question, const Companion& companion) {
  Options options = question.choice.with(companion);
  Methods named;
  if (question.choice.named()) {
    auto methods = question.choice.methods();
    if (!methods) return methods.none();
    named = std::move(*methods);
  }
  auto edited = question.about.edited(companion);
  if (!edited) return edited.none();
  const System& system = edited->system;
  auto choice = choose_one(named, system, question.about.name(), options, question.choice.variant);
  if (!choice) return choice.none();
  options.variant = choice->variant;
  const auto sound = analyzed(*choice->method, system, options);
  if (!sound) return sound.none();
  if (sound->status == Status::kNotApplicable) return obstacles_of(*sound, question.about.name());
  Slacked found{{}, *choice, {}, {}, {}, false};
  if (question.sweep.empty()) {
    found.slack = decide::slack_of(*choice->method, system, options);
    found.stopped = found.slack->stopped;
  } else {
    const auto range = decide::parse_sweep(system, question.sweep);
    if (!range) return NoAnswer::bad_input(range.error().message);
    found.range = *range;
    found.points = decide::sweep(*choice->method, system, options, *range, question.points);
    found.stopped = companion.stop.stop_requested();
  }
  found.edited = std::move(*edited);
  return found;
}

Answer<decide::Choice> choose_one(const Methods& methods, const System& system,
                                  const std::string& file, const Options& options,
                                  const std::optional<std::string>& variant,
                                  const std::function<bool(const Method&)>& fits) {
  if (methods.size() == 1) return decide::Choice{methods.front(), options.variant, {}};
  if (methods.size() > 1) {
    return NoAnswer::bad_input("--method must name one method; `tactus methods` lists them");
  }
  Result<std::optional<decide::Choice>> chosen = decide::choose_method(
      system, options, variant ? decide::Variants::kAsAsked : decide::Variants::kAlsoDeployable,
      fits);
  if (!chosen) return NoAnswer::bad_input(chosen.error(), file);
  if (!*chosen) {
    return NoAnswer::unknown(
        "no method covers this file; `tactus analyze` says what each of them needs");
  }
  if (variant) (*chosen)->variant = *variant;
  // Of methods that are named this is known before the file is read.
  for (const auto& [name, value] : options.settings) {
    const auto& own = (*chosen)->method->options;
    if (std::any_of(own.begin(), own.end(),
                    [&, &asked = name](const auto& each) { return each.name == asked; }))
      continue;
    return NoAnswer::bad_input(fmt::format("{}, {}, has no option --{}; name a method that has it",
                                           (*chosen)->method->id, (*chosen)->why, name));
  }
  return std::move(**chosen);
}

std::string choice_text(const decide::Choice& choice) {
  return fmt::format("method: {} ({}), {}", choice.method->id, choice.variant, choice.why);
}

}  // namespace tactus::verbs
