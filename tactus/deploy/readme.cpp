#include <fmt/core.h>

#include "tactus/base/printable.hpp"
#include "tactus/deploy/files.hpp"

namespace tactus::deploy {
namespace {

/// In a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string where(const Program& program) {
  std::string out;
  if (program.cpu) out += fmt::format("CPU {}", *program.cpu);
  if (program.fifo > 0) out += fmt::format(", SCHED_FIFO {}", program.fifo);
  return out.empty() ? "anywhere" : out;
}

std::string program_row(const Program& program) {
  return fmt::format("| {} | {} | {} |\n", cell(program.name), where(program), cell(program.why));
}

}  // namespace

File readme_of(const Launch& launch, const std::vector<File>& files,
               const std::optional<Restart>& restart, std::string_view check_command) {
  std::string text = fmt::format("# {}, deployed\n\n", printable_line(launch.system));
  text +=
      fmt::format("Written by `tactus deploy` from a plan of {} ({}). Needed at run time: {}.\n",
                  launch.method, launch.variant, decide::needs_of(launch.way));
  if (!launch.waived.empty()) {
    text += "\n**Nothing is proved of this start.** Waived, although the proof needs it:\n\n";
    for (const decide::Condition& condition : launch.waived)
      text += fmt::format("- `{}`: {} ({})\n", condition.id, printable_line(condition.what),
                          condition.from);
  }
  text += fmt::format("\nFirst see whether the machine keeps what the plan assumes:\n\n    {}\n",
                      check_command);
  if (!launch.unsettled.empty()) {
    text += "\nNot known before that:";
    for (const decide::Condition& condition : launch.unsettled)
      text +=
          fmt::format("{} {}", &condition == &launch.unsettled.front() ? "" : ",", condition.id);
    text += ".\n";
  }
  if (restart) {
    const std::string& target = files.front().name;
    text += fmt::format(
        "\nThen, as root, in this folder:\n\n"
        "    cp *.service *.target /etc/systemd/system/ && systemctl daemon-reload\n"
        "    systemctl start {0}        # systemctl enable {0}: also after a reboot\n"
        "    systemctl stop {0}\n",
        target);
    text += fmt::format(
        "\nA task that ends is started again: {} (`Restart={}`), 100 ms later, at most five times "
        "in "
        "10 s.\n",
        *restart == Restart::kNo          ? "never"
        : *restart == Restart::kOnFailure ? "if it failed"
                                          : "always",
        to_string(*restart));
    if (launch.arbiter)
      text +=
          "If the arbiter fails it is started again, and the tasks go on meanwhile without it. If "
          "it is\nstopped, the tasks are stopped too.\n";
  } else if (files.front().name.ends_with(".py")) {
    text += fmt::format(
        "\nThen, as root, in this folder and with your workspace set up:\n\n"
        "    ros2 launch ./{}\n\n"
        "Ctrl-C ends everything. Each task is a process with one executor: callbacks of one "
        "process\n"
        "that are different tasks would share its priority.\n",
        files.front().name);
  } else {
    text +=
        "\nThen run `./start.sh`. Ctrl-C or SIGTERM ends everything that it has started; a task "
        "that ends is\nnot started again.\n";
    for (const Program& program : launch.programs) {
      for (const std::string& group : program.groups)
        text +=
            fmt::format("The user {} must be a member of the group {}.\n", *program.user, group);
    }
  }
  if (!launch.notes.empty()) text += "\n## To know\n\n";
  for (const std::string& note : launch.notes) text += fmt::format("- {}\n", note);
  text += "\n## Programs\n\n| program | runs on | from the file and the plan |\n|---|---|---|\n";
  if (launch.arbiter) text += program_row(*launch.arbiter);
  for (const Program& program : launch.programs) text += program_row(program);
  text += "\n## Files\n\n| file | what it is for |\n|---|---|\n";
  for (const File& file : files)
    text += fmt::format("| {} | {} |\n", cell(file.name), cell(file.why));
  return {"README.md", std::move(text), false, "this list"};
}

}  // namespace tactus::deploy
