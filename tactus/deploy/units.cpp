// A deployment as units of systemd.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tactus/deploy/files.hpp"
#include "tactus/deploy/quoting.hpp"

namespace tactus::deploy {
namespace {

/// A name for a unit that no other unit of the deployment has.
std::string unit_name(const std::string& system, const std::string& name,
                      std::set<std::string>& taken) {
  const std::string wanted = unit_stem(system, name);
  std::string unit = wanted;
  for (int i = 2; !taken.insert(unit).second; ++i) unit = fmt::format("{}-{}", wanted, i);
  return unit + ".service";
}

/// One key of a unit; the first problem is kept.
class Unit {
 public:
  void add(std::string_view line) { text_.append(line).append("\n"); }
  void add(std::string_view key, const Result<std::string>& value) {
    if (value) {
      text_.append(key).append("=").append(*value).append("\n");
    } else if (!problem_) {
      problem_ = value.error();
    }
  }
  Result<std::string> take() {
    if (problem_) return *problem_;
    return std::move(text_);
  }

 private:
  std::string text_;
  std::optional<Error> problem_;
};

class Units {
 public:
  Units(const Launch& launch, Restart restart) : launch_(launch), restart_(restart) {}

  Result<std::vector<File>> make() {
    if (launch_.arbiter) arbiter_ = unit_name(launch_.system, launch_.arbiter->name, names_);
    std::vector<std::string> names;
    for (const Program& program : launch_.programs)
      names.push_back(unit_name(launch_.system, program.name, names_));
    std::vector<File> files = {target(names)};
    if (launch_.arbiter && !add(files, arbiter_, *launch_.arbiter, true)) return *problem_;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!add(files, names[i], launch_.programs[i], false)) return *problem_;
    return files;
  }

 private:
  std::string target_name() const {
    return fmt::format("tactus-{}.target", unit_part(launch_.system));
  }

  File target(const std::vector<std::string>& names) const {
    Unit unit;
    unit.add("[Unit]");
    unit.add("Description", unit_remark(fmt::format("{}: {} ({}){}", launch_.system, launch_.method,
                                                    launch_.variant, waived_ids())));
    add_waived(unit);
    for (const decide::Condition& condition : launch_.unsettled)
      unit.add(fmt::format("# Not known; tactus doctor must settle it before the start: {}",
                           condition.id));
    for (const std::string& name : names) unit.add("Wants=" + name);
    unit.add("\n[Install]\nWantedBy=multi-user.target");
    return {target_name(), *unit.take(), false, "starts and stops all of it"};
  }

  std::string waived_ids() const {
    std::string ids;
    for (const decide::Condition& condition : launch_.waived)
      ids += (ids.empty() ? "; not proved, waived: " : ", ") + condition.id;
    return ids;
  }
  void add_waived(Unit& unit) const {
    for (const decide::Condition& condition : launch_.waived)
      unit.add(
          unit_remark(fmt::format("# NOT PROVED. Waived: {}: {}", condition.id, condition.what)));
  }

  bool add(std::vector<File>& files, const std::string& name, const Program& program,
           bool is_arbiter) {
    Unit unit;
    unit.add("[Unit]");
    unit.add("Description", unit_remark(fmt::format("{}: {} ({}){}", launch_.system, program.name,
                                                    program.why, waived_ids())));
    add_waived(unit);
    unit.add("PartOf=" + target_name());
    if (!is_arbiter && launch_.arbiter) {
      unit.add(
          "# Not without the arbiter; when that is started again after a failure, this goes on.");
      unit.add("Requires=" + arbiter_);
      unit.add("After=" + arbiter_);
    }
    unit.add("\n[Service]\nType=exec");
    unit.add("ExecStart", unit_command(program.words));
    if (is_arbiter) {
      add_arbiter_keys(unit);
    } else {
      add_task_keys(unit, program);
    }
    unit.add(fmt::format("Restart={}",
                         is_arbiter ? to_string(Restart::kOnFailure) : to_string(restart_)));
    unit.add("RestartSec=100ms");
    Result<std::string> text = unit.take();
    if (!text) {
      problem_ = Error{fmt::format("{}: {}", program.name, text.error().message)};
      return false;
    }
    files.push_back({name, std::move(*text), false, program.why});
    return true;
  }

  void add_arbiter_keys(Unit& unit) const {
    // It is there when it listens: tasks that are started next find it.
    const char* const kUntilItListens =
        "until \"$0\" top --json --socket \"$1\" >/dev/null 2>&1; do sleep 0.02; done";
    unit.add("ExecStartPost",
             unit_command({"/bin/sh", "-c", kUntilItListens, launch_.tactus, launch_.socket}));
    unit.add("TimeoutStartSec=10s");
    unit.add("ExecReload=/bin/kill -HUP $MAINPID");
    const std::size_t end = launch_.socket.rfind('/');
    if (launch_.socket.starts_with(kRun) && end > kRun.size()) {
      unit.add("RuntimeDirectory",
               runtime_folder(launch_.socket.substr(kRun.size(), end - kRun.size())));
      unit.add("RuntimeDirectoryMode=0755");
      // So that the next one knows that it replaces this one, and waits for clients to come back.
      unit.add("RuntimeDirectoryPreserve=restart");
    }
    unit.add("LimitRTPRIO=99\nLimitMEMLOCK=infinity");
  }

  /// A folder in /run that systemd makes.
  static Result<std::string> runtime_folder(const std::string& folder) {
    std::string plain = folder;
    std::replace(plain.begin(), plain.end(), '/', '.');
    if (file_part(plain) == plain) return folder;
    return Error{fmt::format("no unit can make the folder /run/{}", folder)};
  }

  void add_task_keys(Unit& unit, const Program& program) const {
    if (program.folder) unit.add("WorkingDirectory", unit_line(*program.folder));
    if (program.user) unit.add("User", unit_line(*program.user));
    for (const std::string& group : program.groups)
      unit.add("SupplementaryGroups", unit_line(group));
    for (const Variable& variable : program.environment)
      unit.add("Environment", unit_variable(variable.name, variable.value));
    add_places(unit, program);
    if (program.cpu) unit.add(fmt::format("CPUAffinity={}", *program.cpu));
    if (program.fifo > 0) {
      unit.add("CPUSchedulingPolicy=fifo");
      unit.add(fmt::format("CPUSchedulingPriority={}", program.fifo));
    }
    unit.add(
        "# For the thread of the client library that obeys the arbiter, and against page faults.");
    unit.add("LimitRTPRIO=99\nLimitMEMLOCK=infinity");
  }

  /// Each task makes sure that they are there; none takes them away when it ends.
  void add_places(Unit& unit, const Program& program) const {
    std::string all;
    std::vector<std::string> places = {program.diaries};
    if (program.on_path) places.insert(places.begin(), *launch_.paths);
    for (const std::string& place : places) {
      if (!place.starts_with(kRun)) continue;  // the client library makes it
      const Result<std::string> folder = runtime_folder(place.substr(kRun.size()));
      if (!folder) return unit.add("RuntimeDirectory", folder);
      all += (all.empty() ? "" : " ") + *folder;
    }
    if (all.empty()) return;
    unit.add("RuntimeDirectory", Result<std::string>(all));
    unit.add("RuntimeDirectoryMode=0700\nRuntimeDirectoryPreserve=yes");
  }

  static constexpr std::string_view kRun = "/run/";
  const Launch& launch_;
  Restart restart_;
  std::string arbiter_;
  std::set<std::string> names_;
  std::optional<Error> problem_;
};

}  // namespace

std::string_view to_string(Restart restart) {
  switch (restart) {
    case Restart::kNo:
      return "no";
    case Restart::kOnFailure:
      return "on-failure";
    case Restart::kAlways:
      return "always";
  }
  return {};
}

Result<std::vector<File>> units_of(const Launch& launch, Restart restart) {
  return Units(launch, restart).make();
}

}  // namespace tactus::deploy
