#include "tactus/verbs/questions.hpp"

#include "tactus/base/question_json.hpp"
#include "tactus/verbs/advise.hpp"
#include "tactus/verbs/analyze.hpp"
#include "tactus/verbs/check.hpp"
#include "tactus/verbs/deploy.hpp"
#include "tactus/verbs/doctor.hpp"
#include "tactus/verbs/generate.hpp"
#include "tactus/verbs/import.hpp"
#include "tactus/verbs/init.hpp"
#include "tactus/verbs/measure.hpp"
#include "tactus/verbs/plan.hpp"
#include "tactus/verbs/reserve.hpp"
#include "tactus/verbs/run.hpp"
#include "tactus/verbs/simulate.hpp"
#include "tactus/verbs/slack.hpp"
#include "tactus/verbs/validate.hpp"

namespace tactus::verbs {

void for_each_question(
    const std::function<void(std::string_view name, const Fields& fields)>& take) {
  const auto tell = [&](std::string_view name, auto question) {
    Fields fields;
    describe(question, fields);
    static std::string file;
    for (AskedField& field : fields.all()) {  // what comes apart from the request
      const bool apart = field.key == "system" || (field.key == "plan" && name == "check_plan");
      if (apart) field.by = AskedField::By::kCommandLine;
    }
    if (fields.all().front().key == "system") {
      fields("file", file, "What the system is called in problems").by_library();
    }
    take(name, fields);
  };
  tell("init", InitQuestion());
  tell("check", CheckQuestion());
  tell("canonical", CanonicalQuestion());
  tell("analyze", AnalyzeQuestion());
  tell("slack", SlackQuestion());
  tell("advise", AdviseQuestion());
  tell("reserve_dry", ReserveQuestion());
  tell("plan", PlanQuestion());
  tell("check_plan", CheckPlanQuestion());
  tell("deploy", DeployQuestion());
  tell("doctor", DoctorQuestion());
  tell("simulate", SimulateQuestion());
  tell("validate", ValidateQuestion());
  tell("generate", GenerateQuestion());
  tell("import", ImportQuestion());
  tell("export", ExportQuestion());
  tell("methods", MethodsQuestion());
  tell("session_open", OpenQuestion());
  tell("session_measure", MeasureQuestion());
  tell("session_run", PlayQuestion());
}

std::string question_schemas() {
  json::Writer out;
  out.begin_object();
  for_each_question([&](std::string_view name, const Fields& fields) {
    write_question_schema(out.key(name), fields);
  });
  return out.end_object().take();
}

}  // namespace tactus::verbs
