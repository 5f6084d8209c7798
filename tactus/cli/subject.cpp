#include "tactus/cli/subject.hpp"

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/verbs/simulate.hpp"
#include "tactus/verbs/slack.hpp"

namespace tactus::cli {

SubjectOrExit subject_or_complaint(verbs::Answer<Subject> answer) {
  if (answer) return std::move(*answer);
  return complain_of(answer.none());
}

SubjectOrExit plan_of_file(const std::string& path, const System& system) {
  Result<std::string> text = read_text_file(path);
  if (!text) {
    complain("tactus: " + text.error().message);
    return kBadInput;
  }
  return subject_or_complaint(verbs::plan_in(std::move(*text), path, system));
}

SubjectOrExit plan_made_now(const MethodOptions& choice, const std::string& file,
                            const System& system, const std::function<bool(const Method&)>& fits,
                            std::string& why) {
  LongWork work;
  Options options = choice.options();
  options.stop = work.stop_token();
  options.progress = work.progress();
  if (!choice.given()) {
    const auto usual = verbs::choose_one({}, system, options, choice.variant(), fits);
    if (!usual) return complain_of(usual.none());
    why = verbs::choice_text(*usual);
    options.variant = usual->variant;
    return subject_or_complaint(
        verbs::plan_made_now({usual->method}, system, shown_name(file), options));
  }
  const auto methods = choice.methods();
  if (!methods) return kBadInput;
  return subject_or_complaint(verbs::plan_made_now(*methods, system, shown_name(file), options));
}

std::optional<Time> time_argument(std::string_view option, std::string_view text,
                                  const System& system) {
  const auto time = verbs::time_of(option, text, system);
  if (time) return *time;
  complain_of(time.none());
  return std::nullopt;
}

}  // namespace tactus::cli
