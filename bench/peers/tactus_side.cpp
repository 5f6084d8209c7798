// Our side of bench/peers/schedcat.
//
//     bench_peers SETS METHODS ready|system SECONDS
//
// SETS has a system per line. Prints microseconds of CPU time per verdict (of the last method, if
// there are several: they share the family's view), and the share of sets that it proves.
//
// ready:  the family's view of each system is made before the clock starts, as SchedCAT's structures
//         are for one call; what is timed is the whole fixed point, up to the verdict with a bound
//         per task.
// system: the view is made, too.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>

#include "tactus/methods/many.hpp"
#include "tactus/methods/reuse.hpp"
#include "tactus/model/reader.hpp"

namespace tactus {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<System> read_sets(const char* file) {
  std::ifstream in(file);
  std::vector<System> systems;
  for (std::string line; std::getline(in, line);) {
    systems.push_back(read_system(line).system.value());
  }
  return systems;
}

struct Count {
  std::size_t verdicts = 0, proved = 0;

  void add(Verdict& verdict) {
    ++verdicts;
    proved += verdict.status == Status::kSchedulable ? 1 : 0;
    leave_spare_tasks(std::move(verdict.tasks));
  }
};

/// Every system once, by every question, as an experiment does it.
void from_systems(const std::vector<System>& systems, Survey& survey, Count& count) {
  for (const System& system : systems) {
    survey.ask(system, [&](std::size_t, Verdict& verdict) {
      count.add(verdict);
      return true;
    });
  }
}

}  // namespace
}  // namespace tactus

int main(int argc, char** argv) {
  using namespace tactus;
  if (argc != 5) return 2;
  const std::vector<System> systems = read_sets(argv[1]);
  std::vector<Question> questions;
  const auto methods = select_methods(argv[2]);
  if (!methods) return 2;
  for (const Method* method : *methods) {
    Question& question = questions.emplace_back();
    question.method = method;
    question.options.terms = question.options.plan = false;
  }
  const bool ready = argv[3] == std::string("ready");
  const double seconds = std::atof(argv[4]);
  Survey survey(questions);
  std::vector<std::unique_ptr<Views>> views;
  for (const System& system : systems) views.push_back(std::make_unique<Views>(system));
  const auto on_ready_views = [&](Count& count) {
    for (std::size_t i = 0; i < systems.size(); ++i) {
      for (Question& question : questions) {
        question.options.views = views[i].get();
        Verdict verdict = analyze(*question.method, systems[i], question.options);
        count.add(verdict);
      }
    }
  };
  Count count;
  if (ready) on_ready_views(count);  // makes the views
  count = {};
  const double begin = cpu_seconds();
  double end = begin;
  for (; end - begin < seconds; end = cpu_seconds()) {
    if (ready) {
      on_ready_views(count);
    } else {
      from_systems(systems, survey, count);
    }
  }
  const auto verdicts = static_cast<double>(count.verdicts);
  std::printf("%.4f %.3f\n", (end - begin) / verdicts * 1e6,
              static_cast<double>(count.proved) / verdicts);
}
