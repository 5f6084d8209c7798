#include "tactus/deploy/cover.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tactus/arbiter/path_variables.hpp"
#include "tactus/arbiter/preload/channel_copies.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/arbiter/urgency_text.hpp"

namespace tactus::deploy {
namespace {

using decide::Tier;

std::string text_of(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

void set_urgency(decide::TaskStart& start, const std::string& text) {
  arbiter::Urgency urgency;
  if (text.empty() || !arbiter::read_urgency(text.c_str(), urgency)) return;
  start.best_effort = urgency.best_effort;
  if (!urgency.best_effort) start.priority = urgency.priority;
}

/// `tactus exec ... -- COMMAND`.
bool is_under_exec(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != "exec") return false;
  const std::string& program = words[0];
  return program.substr(program.rfind('/') + 1) == "tactus";
}

std::string id_of(std::string_view check) {
  std::string id;
  for (const char c : check)
    id += c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return id;
}

decide::Condition condition_of(const Check& check, decide::Holds holds) {
  return {
      id_of(check.id), holds == decide::Holds::kYes ? check.found : check.id + ": " + check.found,
      holds,           "deploy.md, Is this machine fit? " + check.why,
      check.mend,      decide::Whose::kMachine};
}

}  // namespace

decide::TaskStart task_start(const std::vector<std::string>& words,
                             const std::map<std::string, std::string>& environment, bool boost) {
  decide::TaskStart start;
  start.tier = boost ? Tier::kHold : Tier::kGate;
  const auto copies = environment.find(arbiter::preload::kChannelCopiesVariable);
  start.takes_copies_off = arbiter::preload::takes_copies_off(
      copies != environment.end() ? copies->second.c_str() : nullptr);
  set_urgency(start, text_of(environment, arbiter::kSegmentPriorityVariable));
  const bool on_path = !text_of(environment, arbiter::kPathsVariable).empty();
  start.after = on_path ? text_of(environment, arbiter::kAfterVariable) : std::string();
  if (!is_under_exec(words)) {
    const bool wants = text_of(environment, arbiter::kTierVariable) == "channel";
    const bool has =
        text_of(environment, "LD_PRELOAD").find("libtactus_preload") != std::string::npos;
    if (boost && wants && has) start.tier = Tier::kChannel;
    if (boost && wants && !has) start.why_tier = "the tier channel needs the preloaded library";
    return start;
  }
  bool segments = false;
  for (std::size_t k = 2; k < words.size() && words[k] != "--"; ++k) {
    const bool more = k + 1 < words.size();
    if (words[k] == "--segments") segments = true;
    if (words[k] == "--best-effort") set_urgency(start, "best-effort");
    if (words[k] == "--priority" && more) set_urgency(start, words[k + 1]);
    // A program that marks its segments for gcaps waits at its checkpoints, whatever the tier.
    if (words[k] == "--tier" && more) start.tier = arbiter::tasks::tier_named(words[k + 1]);
  }
  if (!segments) {
    start.marks_segments = false;
    if (boost) start.threshold = start.priority;  // everything above it takes it off
  }
  if (segments && !boost) start.tier = Tier::kGate;
  return start;
}

decide::Start start_of(const System& system, const Launch& launch, const Wish& wish) {
  decide::Start start;
  const bool plays = launch.way == decide::Way::kPartitions || launch.way == decide::Way::kTables;
  start.real_gpu = plays ? wish.backend == "cuda" : wish.by != By::kProcess;
  if (plays) return start;
  const auto& arbiter = launch.arbiter;
  const bool boost = arbiter && std::find(arbiter->words.begin(), arbiter->words.end(), "boost") !=
                                    arbiter->words.end();
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Program& program = launch.programs[i];
    std::map<std::string, std::string> environment;
    for (const Variable& variable : program.environment)
      environment[variable.name] = variable.value;
    start.tasks.push_back(task_start(program.words, environment, boost));
    if (program.cpu) start.tasks.back().cpus = std::set<int>{*program.cpu};
    start.tasks.back().fifo = program.fifo;
  }
  if (arbiter) start.arbiter = {boost, arbiter->cpu, arbiter->fifo};
  return start;
}

std::vector<decide::Condition> granted(const std::vector<Check>& checks) {
  std::vector<decide::Condition> all;
  for (const Check& check : checks) {
    if (!check.assumed) continue;
    all.push_back(condition_of(check, check.state == State::kFine      ? decide::Holds::kYes
                                      : check.state == State::kNotFine ? decide::Holds::kNo
                                                                       : decide::Holds::kNotKnown));
  }
  return all;
}

std::vector<decide::Condition> not_seen(const Demand& demand) {
  std::vector<decide::Condition> all;
  for (Check& check : checkup(Machine{}, demand)) {
    if (!check.assumed) continue;
    check.found = "nobody has looked at the machine";
    check.mend = "tactus doctor looks";
    all.push_back(condition_of(check, decide::Holds::kNotKnown));
  }
  return all;
}

}  // namespace tactus::deploy
