#include "tactus/verbs/run.hpp"

#include <unistd.h>

#include "tactus/arbiter/tasks/task_process.hpp"
#include "tactus/cli/figure.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/run_watch.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/run.hpp"
#include "tactus/report/task_run.hpp"

namespace tactus::cli {
namespace {

struct RunArguments {
  verbs::RunQuestion question;
  FigureOptions figure;
  bool json = false;
  const Fields* fields = nullptr;
};

void describe(RunArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  describe(arguments.figure, is);
  is("json", arguments.json, "As JSON");
}

int run(RunArguments& arguments) {
  const FigureOptions& figure = arguments.figure;
  if (figure.chooses() && !figure.given()) {
    complain("tactus: --window and --around say what --figure draws; name it too");
    return kBadInput;
  }
  verbs::RunQuestion& question = arguments.question;
  question.fields = arguments.fields;
  std::optional<trace::Excerpt> excerpt;
  if (figure.given()) question.how.watch = figure.watching(excerpt);
  const auto ran = [&] {
    LongWork work;
    RunWatch watch(work);
    question.how.look = [&](const System& system, const Verdict& of, const trace::Observed& seen,
                            const auto& /*live*/) { watch.look(system, of, seen); };
    return answer(question, work.companion());
  }();
  if (!ran) return complain_of(ran.none());
  const System& system = ran->edited->system;
  const trace::Observed& seen = ran->observed;
  if (figure.given()) {
    const auto window = figure.window(system, seen, *excerpt);
    if (!window || !figure.draw(system, seen, *excerpt, *window)) return kBadInput;
  }
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json
                               ? ran->json()
                               : changes_text(*ran->edited, style) +
                                     (ran->as_processes ? report::task_run_text(system, seen, style)
                                                        : report::run_text(system, seen, style));
  if (!emit(text)) return kBadInput;
  if (!ran->as_processes && seen.good() && !seen.cut_short.empty()) {
    complain("tactus: the run was interrupted");
  }
  return ran->exit();
}

}  // namespace

void add_run(Parser& app, int& exit_code) {
  add_verb<RunArguments>(
      app, exit_code, "run", "Execute a plan, and compare what is seen with its bounds",
      "Without --plan and --policy: the method that the file deploys, else the best that is run "
      "here.\n"
      "Exit code 0: no deadline missed, no bound exceeded, everything in order; 1: otherwise; 2: "
      "bad input;\n"
      "3: the plan cannot be run here (no GPU, too few SMs).\n"
      "Examples:\n"
      "  tactus run graph.system.json --plan graph.plan.json --jobs 100\n"
      "  tactus run kernels.system.json --method pbs.graph --strategy reclaim --duration 5000\n"
      "  tactus run robot.system.json --plan robot.plan.json --backend cuda --trace run.json\n"
      "  tactus run robot.system.json --plan robot.plan.json --figure run.svg --window 0..50",
      run);
}

namespace {

struct TaskProcess {
  int file = -1;
  unsigned index = 0;
};

void describe(TaskProcess& task, Fields& is) {
  is("file", task.file, "").positional("FILE").required();
  is("task", task.index, "").positional("TASK").required();
}

int run(TaskProcess& task) { return arbiter::tasks::run_task_process(task.file, task.index); }

}  // namespace

void add_task_process(Parser& app, int& exit_code) {
  add_verb<TaskProcess>(app, exit_code, "task-process", "One task of a `tactus run` of processes",
                        "", run);
}

}  // namespace tactus::cli
