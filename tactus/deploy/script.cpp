// A deployment as one shell script.
#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/printable.hpp"
#include "tactus/deploy/files.hpp"
#include "tactus/deploy/quoting.hpp"

namespace tactus::deploy {
namespace {

/// What is the same in every script. `$1` of each function is a name for messages.
constexpr std::string_view kFunctions = R"(
say() { printf '%s: %s\n' "$title" "$*" >&2; }
pids=''
arbiter=''
failed=0

# Ends everything, the arbiter last: until then it decides.
stop_all() {
  trap '' INT TERM HUP
  for pid in $pids; do kill -TERM "$pid" 2>/dev/null; done
  for pid in $pids; do wait "$pid"; done
  if [ -n "$arbiter" ]; then kill -TERM "$arbiter" 2>/dev/null; wait "$arbiter"; fi
}
trap 'say "told to end"; stop_all; exit 130' INT TERM HUP

need() {
  for tool; do
    command -v "$tool" >/dev/null || { say "$tool is not to be found"; exit 3; }
  done
}
)";

/// The whole command, with its environment.
std::vector<std::string> placed(const Program& program) {
  std::vector<std::string> words = place_words(program);
  words.emplace_back("env");
  for (const Variable& variable : program.environment)
    words.push_back(fmt::format("{}={}", variable.name, variable.value));
  // `env` would take a program with this name for a variable.
  if (program.words.front().find('=') != std::string::npos) {
    words.insert(words.end(), {"sh", "-c", R"(exec "$0" "$@")"});
  }
  words.insert(words.end(), program.words.begin(), program.words.end());
  return words;
}

/// Where tasks start each other; it must belong to their user.
std::string own_place(const std::string& folder, const Program& program) {
  const std::string place = shell_word(folder);
  std::string text = fmt::format("mkdir -p {0} && chmod 700 {0}", place);
  if (program.user) text += fmt::format(" && chown {} {}", shell_word(*program.user), place);
  return text;
}

std::string remark(const Program& program) {
  return fmt::format("\n# {}: {}\n", printable_line(program.name), printable_line(program.why));
}

std::string started(const Program& program) {
  std::string line = "(";
  if (program.folder) line += fmt::format(" cd {} &&", shell_word(*program.folder));
  line += fmt::format(" exec {} ) &\n", shell_command(placed(program)));
  return line;
}

}  // namespace

File script_of(const Launch& launch) {
  const auto any = [&](auto has) {
    return std::any_of(launch.programs.begin(), launch.programs.end(), has);
  };
  std::string text = "#!/bin/sh\n";
  text += fmt::format("# {}: {} ({}). Written by tactus deploy; README.md says why.\n",
                      printable_line(launch.system), launch.method, launch.variant);
  for (const decide::Condition& condition : launch.waived)
    text +=
        fmt::format("# NOT PROVED. Waived: {}: {}\n", condition.id, printable_line(condition.what));
  for (const decide::Condition& condition : launch.unsettled)
    text += fmt::format("# Not known; tactus doctor must settle it before the start: {}\n",
                        condition.id);
  text +=
      "# Ends when all tasks have ended (exit code 0, or 1 if one of them failed), or when it is\n"
      "# told to (Ctrl-C, SIGTERM); then it ends all that it has started.\n";
  text += fmt::format("title={}\n", shell_word(printable_line(launch.system)));
  text += kFunctions;
  text += "need env";
  if (any([](const Program& p) { return p.cpu.has_value(); })) text += " taskset";
  if (any([](const Program& p) { return p.fifo > 0; })) text += " chrt";
  if (any([](const Program& p) { return p.user.has_value(); })) text += " runuser";
  text += '\n';
  if (any([](const Program& p) { return p.fifo > 0; })) {
    text +=
        "chrt -f 1 true 2>/dev/null || { say 'no right to real-time scheduling (SCHED_FIFO); see "
        "tactus doctor'; exit 3; }\n";
  }
  if (launch.arbiter) {
    text += remark(*launch.arbiter);
    // That there is a socket is not enough: it may be left from an arbiter that was killed.
    text += fmt::format("listens() {{ {} >/dev/null 2>&1; }}\n",
                        shell_command({launch.tactus, "top", "--json", "--socket", launch.socket}));
    text += fmt::format("{} &\narbiter=$!\n", shell_command(launch.arbiter->words));
    text += R"(tries=0
until listens; do
  tries=$((tries + 1))
  if ! kill -0 "$arbiter" 2>/dev/null || [ "$tries" -gt 500 ]; then
    say 'the arbiter does not start'
    stop_all
    exit 3
  fi
  sleep 0.02
done
)";
  }
  for (const Program& program : launch.programs) {
    text += remark(program);
    if (program.on_path) {
      text += own_place(*launch.paths, program) +
              " || { say 'no folder for tasks that start each other'; stop_all; exit 3; }\n";
    }
    text += own_place(program.diaries, program) + " || say 'no folder for tactus watch'\n";
    text += started(program);
    text += "pids=\"$pids $!\"\n";
  }
  text += R"(
say "started; this script ends when all of it has ended"
for pid in $pids; do
  wait "$pid" || failed=1
done
pids=
stop_all
exit "$failed"
)";
  return {"start.sh", std::move(text), true, "starts everything, and ends it with itself"};
}

}  // namespace tactus::deploy
