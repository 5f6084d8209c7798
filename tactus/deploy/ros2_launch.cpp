// A deployment as a launch file of ROS 2 (launch and launch_ros), in Python: of its three forms the one
// in which every text arrives as it is.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "tactus/base/printable.hpp"
#include "tactus/deploy/files.hpp"
#include "tactus/deploy/quoting.hpp"

namespace tactus::deploy {
namespace {

std::string python_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string python_list(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + python_text(word);
  return "[" + out + "]";
}

/// `tactus exec ... --` in front of a command, which is part of the prefix here.
std::size_t own_words(const Launch& launch, const Program& program) {
  const auto& words = program.words;
  if (words.size() < 2 || words[0] != launch.tactus || words[1] != "exec") return 0;
  const auto end = std::find(words.begin(), words.end(), "--");
  return end == words.end() ? 0 : static_cast<std::size_t>(end - words.begin()) + 1;
}

/// `ros2 run PACKAGE EXECUTABLE ...` is an action of its own, so that tools of ROS see the node.
bool is_node(std::span<const std::string> command) {
  return command.size() >= 4 && command[0] == "ros2" && command[1] == "run" &&
         !command[2].starts_with('-') && !command[3].starts_with('-');
}

std::string action(const Launch& launch, const Program& program) {
  const std::span<const std::string> all(program.words);
  const std::size_t own = own_words(launch, program);
  const auto command = all.subspan(own);
  std::vector<std::string> prefix = place_words(program);
  prefix.insert(prefix.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own));
  std::string text =
      fmt::format("        # {}: {}\n", printable_line(program.name), printable_line(program.why));
  if (is_node(command)) {
    text += fmt::format("        Node(\n            package={}, executable={},\n",
                        python_text(command[2]), python_text(command[3]));
    if (command.size() > 4) {
      text += fmt::format("            arguments={},\n", python_list(command.subspan(4)));
    }
  } else {
    text += fmt::format("        ExecuteProcess(\n            cmd={},\n", python_list(command));
  }
  if (!prefix.empty()) {
    text += fmt::format("            prefix={},\n", python_text(shell_command(prefix)));
  }
  if (program.folder) text += fmt::format("            cwd={},\n", python_text(*program.folder));
  text += "            additional_env={\n";
  for (const Variable& variable : program.environment) {
    text += fmt::format("                {}: {},\n", python_text(variable.name),
                        python_text(variable.value));
  }
  return text + "            },\n            output=\"screen\",\n        ),\n";
}

/// What must be done before the tasks start, for a shell; empty: nothing.
std::string preparation(const Launch& launch) {
  std::set<std::pair<std::string, std::string>> folders;  // with the user that each belongs to
  for (const Program& program : launch.programs) {
    const std::string user = program.user.value_or("");
    if (program.on_path) folders.emplace(*launch.paths, user);
    if (!program.diaries.empty()) folders.emplace(program.diaries, user);
  }
  std::string text;
  for (const auto& [folder, user] : folders) {
    const std::string place = shell_word(folder);
    text += fmt::format("mkdir -p {0} && chmod 700 {0}", place);
    if (!user.empty()) text += fmt::format(" && chown {} {}", shell_word(user), place);
    text += "\n";
  }
  if (launch.arbiter) {
    text += fmt::format("until {} >/dev/null 2>&1; do sleep 0.02; done\n",
                        shell_command({launch.tactus, "top", "--json", "--socket", launch.socket}));
  }
  return text;
}

}  // namespace

Result<File> ros2_launch_of(const Launch& launch) {
  std::map<std::vector<std::string>, std::string> started;
  for (const Program& program : launch.programs) {
    const std::vector<std::string> command(
        program.words.begin() + static_cast<std::ptrdiff_t>(own_words(launch, program)),
        program.words.end());
    const auto [other, fresh] = started.try_emplace(command, program.name);
    if (!fresh) {
      return Error{fmt::format(
          "{} and {} have the same `command`: a process has one priority and one CPU, so callbacks "
          "that are tasks of their own need processes of their own",
          other->second, program.name)};
    }
  }
  const std::string name = file_part(launch.system) + ".launch.py";
  std::string text = fmt::format("# {}: {} ({}). Written by tactus deploy; README.md says why.\n",
                                 printable_line(launch.system), launch.method, launch.variant);
  for (const decide::Condition& condition : launch.waived) {
    text +=
        fmt::format("# NOT PROVED. Waived: {}: {}\n", condition.id, printable_line(condition.what));
  }
  for (const decide::Condition& condition : launch.unsettled) {
    text += fmt::format("# Not known; tactus doctor must settle it before the start: {}\n",
                        condition.id);
  }
  const std::string before = preparation(launch);
  text +=
      "from launch import LaunchDescription\n"
      "from launch.actions import ExecuteProcess, RegisterEventHandler, Shutdown\n"
      "from launch.event_handlers import OnProcessExit\n"
      "from launch_ros.actions import Node\n\n\n"
      "def generate_launch_description():\n"
      "    tasks = [\n";
  for (const Program& program : launch.programs) text += action(launch, program);
  text += "    ]\n    actions = []\n";
  if (launch.arbiter) {
    text += fmt::format(
        "    # {}\n    actions.append(ExecuteProcess(\n        cmd={},\n        "
        "output=\"screen\",\n"
        "        on_exit=Shutdown(reason=\"the arbiter has ended\"),\n    ))\n",
        printable_line(launch.arbiter->why), python_list(launch.arbiter->words));
  }
  if (before.empty()) {
    text += "    actions += tasks\n";
  } else {
    text += fmt::format(
        "    # The folders where tasks meet and are watched; then until the arbiter listens.\n"
        "    ready = ExecuteProcess(cmd=[\"/bin/sh\", \"-c\", {}])\n"
        "    actions.append(ready)\n"
        "    actions.append(RegisterEventHandler(\n"
        "        OnProcessExit(target_action=ready, on_exit=tasks)))\n",
        python_text(before));
  }
  text += "    return LaunchDescription(actions)\n";
  return File{name, std::move(text), false, "starts everything: ros2 launch ./" + name};
}

}  // namespace tactus::deploy
