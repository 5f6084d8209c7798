#include "tactus/verbs/init.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "tactus/base/shell_word.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/decide/gpu_costs.hpp"
#include "tactus/decide/spoken_task.hpp"
#include "tactus/host/terminal.hpp"
#include "tactus/model/notation.hpp"
#include "tactus/runtime/cuda/info.hpp"

namespace tactus::cli {
namespace {

struct InitArguments {
  verbs::InitQuestion question;
  std::string output;
  bool json = false;
};

void describe(InitArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("output", arguments.output, "Write it there; default: standard output")
      .letter('o')
      .shows("FILE");
  is("json", arguments.json, "Without comments");
}

/// The present machine, for what was not said.
void take_this_machine(verbs::InitQuestion& question) {
  if (!question.from.empty()) return;
  if (question.cores == 0) question.cores = std::max(1U, std::thread::hardware_concurrency());
  if (question.sms != 0) return;
  if (const auto gpu = runtime::cuda::gpu_info()) question.sms = gpu->sms;
}

/// A line that a person types; nothing where there are no more.
std::optional<std::string> asked(const std::string& what, const std::string& usual) {
  if (!emit(usual.empty() ? what + ": " : fmt::format("{} [{}]: ", what, usual))) {
    return std::nullopt;
  }
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line.empty() ? usual : line;
}

/// Asks for a whole number until there is one.
bool ask_number(const std::string& what, std::int64_t& value) {
  for (;;) {
    const auto line = asked(what, std::to_string(std::max<std::int64_t>(1, value)));
    if (!line) return false;
    std::size_t end = 0;
    std::int64_t number = 0;
    try {
      number = std::stoll(*line, &end);
    } catch (const std::exception&) {
      end = 0;
    }
    if (end == line->size() && number >= 1 && number <= 1'000'000) {
      value = number;
      return true;
    }
    complain(fmt::format("expected a number from 1 to 1000000, got {}", quote(*line)));
  }
}

bool ask_costs(std::string& costs) {
  for (;;) {
    const auto line = asked("What sharing the GPU costs (tactus gpu profiles; - for none)",
                            std::string(decide::gpu_profiles().front().name));
    if (!line) return false;
    costs = *line == "-" ? "" : *line;
    if (costs.empty()) return true;
    std::string names;
    for (const decide::GpuProfile& profile : decide::gpu_profiles()) {
      if (profile.name == costs) return true;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", profile.name);
    }
    complain(fmt::format("there is no profile {}; there are {}", quote(costs), names));
  }
}

bool ask_tasks(verbs::InitQuestion& question, System& said) {
  for (;;) {
    const auto line = asked(fmt::format("Task {}", question.tasks.size() + 1), "");
    if (!line) return false;
    if (line->empty() && !question.tasks.empty()) return true;
    if (line->empty()) continue;
    auto task = decide::spoken_task(*line, {});
    if (!task) {
      complain(task.error().message);
    } else if (std::any_of(said.tasks.begin(), said.tasks.end(),
                           [&](const Task& other) { return other.name == task->name; })) {
      complain(fmt::format("there is a task {} already", quote(task->name)));
    } else {
      question.tasks.push_back(*line);
      said.tasks.push_back(std::move(*task));
    }
  }
}

bool ask_chains(verbs::InitQuestion& question, const System& said) {
  if (said.tasks.size() < 2) return true;
  if (!emit(fmt::format("Limits from end to end, one a line, such as: {} > {}, 400 ms\n",
                        said.tasks.front().name, said.tasks.back().name))) {
    return false;
  }
  for (;;) {
    const auto line = asked("Chain (an empty line: no more)", "");
    if (!line) return false;
    if (line->empty()) return true;
    if (const auto chain = decide::spoken_chain(*line, said); !chain) {
      complain(chain.error().message);
    } else {
      question.chains.push_back(*line);
    }
  }
}

/// On a terminal. False: there was no answer.
bool ask(InitArguments& arguments) {
  verbs::InitQuestion& question = arguments.question;
  take_this_machine(question);
  if (!ask_number("CPU cores", question.cores) || !ask_number("SMs of the GPU", question.sms)) {
    return false;
  }
  if (question.costs.empty() && !ask_costs(question.costs)) return false;
  if (!emit("Tasks, one a line, with their work in order; an empty line ends.\n"
            "Such as: camera 30 Hz, 2 ms CPU, 8 ms GPU, deadline 33\n")) {
    return false;
  }
  System said;
  if (!ask_tasks(question, said) || !ask_chains(question, said)) return false;
  while (arguments.output.empty()) {
    const auto line = asked("Write to", "robot.system.json");
    if (!line) return false;
    arguments.output = *line;
  }
  return true;
}

int run(InitArguments& arguments) {
  verbs::InitQuestion& question = arguments.question;
  const bool nothing_said = question.tasks.empty() && question.from.empty();
  if (nothing_said && host::is_terminal(STDIN_FILENO) && host::is_terminal(STDOUT_FILENO)) {
    if (!ask(arguments)) return fail("nothing is written");
  }
  take_this_machine(question);
  const std::string& output = arguments.output;
  std::error_code ignored;
  if (!output.empty() && std::filesystem::exists(output, ignored)) {
    complain(fmt::format("tactus: {} is there already; name another file, or edit it", output));
    return kBadInput;
  }
  const auto found = answer(question, told_here());
  if (!found) return complain_of(found.none());
  const bool commented = !arguments.json && notation_of(output) != Notation::kYaml;
  const std::string text = commented ? found->text : found->json();
  if (output.empty()) return emit(text) ? kYes : kBadInput;
  if (!save(output, text)) return kBadInput;
  return emit(fmt::format("{}: {} tasks\nNext: tactus analyze {}\n", output,
                          found->system.tasks.size(), shell_word(output)))
             ? kYes
             : kBadInput;
}

}  // namespace

void add_init(Parser& app, int& exit_code) {
  add_verb<InitArguments>(
      app, exit_code, "init", "A first system file, from tasks in words or from a recording",
      "On a terminal it asks for what is not said. A task is its name, its rate (`30 Hz`, `every "
      "33\n"
      "ms` or `best effort`), then its work in order and what else is known, with commas between.\n"
      "A program that there is already: `tactus measure -o camera.system.json -- ./camera` watches "
      "it.\n"
      "Exit code 0: written; 2: bad input, and nothing is written.\n"
      "Examples:\n"
      "  tactus init\n"
      "  tactus init --task 'camera 30 Hz, 8 ms GPU, 2 ms CPU, deadline 33' --task 'motor 200 Hz,\n"
      "      0.5 ms CPU' --cores 4 --costs h200/channel -o robot.system.json\n"
      "  tactus init --from camera.system.json --from lidar.system.json --task 'motor 200 Hz,\n"
      "      0.5 ms CPU' --chain 'camera > motor, 60 ms' -o robot.system.json",
      run);
}

}  // namespace tactus::cli
