// Each question is described, asked and answered by its verb.
#include "tactus/api/ask.hpp"
#include "tactus/api/simulation.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/report/gpu.hpp"
#include "tactus/verbs/advise.hpp"
#include "tactus/verbs/analyze.hpp"
#include "tactus/verbs/check.hpp"
#include "tactus/verbs/deploy.hpp"
#include "tactus/verbs/doctor.hpp"
#include "tactus/verbs/generate.hpp"
#include "tactus/verbs/import.hpp"
#include "tactus/verbs/init.hpp"
#include "tactus/verbs/plan.hpp"
#include "tactus/verbs/reserve.hpp"
#include "tactus/verbs/simulate.hpp"
#include "tactus/verbs/slack.hpp"
#include "tactus/verbs/validate.hpp"

using namespace tactus;
using namespace tactus::api;

tactus_answer* tactus_check(const char* system, const char* request) {
  return ask_about<verbs::CheckQuestion>(system, request);
}

tactus_answer* tactus_canonical(const char* system, const char* request) {
  return ask_about<verbs::CanonicalQuestion>(system, request);
}

tactus_answer* tactus_analyze(const char* system, const char* request, tactus_call* call) {
  return ask_about<verbs::AnalyzeQuestion>(system, request, call);
}

tactus_answer* tactus_slack(const char* system, const char* request, tactus_call* call) {
  return ask_about<verbs::SlackQuestion>(system, request, call);
}

tactus_answer* tactus_advise(const char* system, const char* request, tactus_call* call) {
  return ask_about<verbs::AdviseQuestion>(system, request, call);
}

tactus_answer* tactus_reserve_dry(const char* system, const char* request, tactus_call* call) {
  return ask_about<verbs::ReserveQuestion>(system, request, call);
}

tactus_answer* tactus_plan(const char* system, const char* request, tactus_call* call) {
  return ask_about<verbs::PlanQuestion>(system, request, call);
}

tactus_answer* tactus_check_plan(const char* system, const char* plan, const char* request) {
  return guarded([&] {
    Request asked(request);
    asked.apart("system", system);
    asked.apart("plan", plan);
    return ask<verbs::CheckPlanQuestion>(asked);
  });
}

tactus_answer* tactus_deploy(const char* system, const char* request) {
  return ask_about<verbs::DeployQuestion>(system, request);
}

tactus_answer* tactus_doctor(const char* system, const char* request) {
  return guarded([&] {
    Request asked(request);
    if (system != nullptr) asked.apart("system", system);
    return ask<verbs::DoctorQuestion>(asked);
  });
}

tactus_answer* tactus::api::simulation(const char* system, const char* request, tactus_call* call,
                                       const TraceFor& trace_for,
                                       const std::function<void()>& ended) {
  return guarded([&] {
    Request asked(request);
    asked.apart("system", system);
    return ask<verbs::SimulateQuestion>(
        asked, call, [&](verbs::SimulateQuestion& question, const verbs::Companion& companion) {
          question.watch = trace_for;
          if (trace_for && !question.trace.empty()) {
            return verbs::Answer<verbs::Simulated>(
                verbs::NoAnswer::bad_input("no request names a file: leave out `trace`"));
          }
          question.ended = ended;
          return answer(question, companion);
        });
  });
}

tactus_answer* tactus_simulate(const char* system, const char* request, tactus_call* call) {
  return simulation(system, request, call);
}

tactus_answer* tactus_validate(const char* request, tactus_call* call) {
  return guarded([&] {
    Request asked(request);
    return ask<verbs::ValidateQuestion>(asked, call);
  });
}

tactus_answer* tactus_generate(const char* request) {
  return guarded([&] {
    Request asked(request);
    return ask<verbs::GenerateQuestion>(asked);
  });
}

tactus_answer* tactus_init(const char* request) {
  return guarded([&] {
    Request asked(request);
    return ask<verbs::InitQuestion>(asked);
  });
}

tactus_answer* tactus_import(const char* source, const char* request) {
  return guarded([&] {
    Request asked(request);
    return ask<verbs::ImportQuestion>(
        asked, nullptr, [&](verbs::ImportQuestion& question, const verbs::Companion& companion) {
          question.text = source;
          return answer(question, companion);
        });
  });
}

tactus_answer* tactus_export(const char* system, const char* request) {
  return ask_about<verbs::ExportQuestion>(system, request);
}

tactus_answer* tactus_methods(const char* request) {
  return guarded([&] {
    Request asked(request);
    return ask<verbs::MethodsQuestion>(asked);
  });
}

tactus_answer* tactus_recipes(void) {
  return guarded([] { return answer_with(TACTUS_YES, report::recipes_json()); });
}

tactus_answer* tactus_profiles(void) {
  return guarded([] { return answer_with(TACTUS_YES, report::gpu_profiles_json()); });
}
