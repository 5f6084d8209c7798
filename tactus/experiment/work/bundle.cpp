#include "tactus/experiment/work/bundle.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/base/file.hpp"
#include "tactus/base/json.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/base/printable.hpp"
#include "tactus/exchange/sha256.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/raw.hpp"
#include "tactus/experiment/store/runs.hpp"
#include "tactus/experiment/store/stored.hpp"
#include "tactus/host/date.hpp"
#include "tactus/host/processor.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::experiment {
namespace {

constexpr std::string_view kManifest = "MANIFEST.json";

/// The bytes of the store while no run changes them.
Result<std::string> bytes_of(const std::string& file) {
  try {
    const Database database(file, Database::Mode::kRead);
    check_schema(database);
    Statement hold(database, "SELECT * FROM meta");
    hold.step();  // from here on the file is locked for writers
    return read_text_file(file);
  } catch (const std::exception& problem) {
    return Error{fmt::format("cannot read {}: {}", file, problem.what())};
  }
}

/// The systems of own files: one per line, and a table of where they come from.
void add_own_sets(const Experiment& experiment, std::vector<ArchiveMember>& members) {
  std::string lines, table = "line,file,sha256\n";
  std::size_t number = 0;
  for (const auto& group : experiment.own->groups) {
    for (const OwnSet& set : group) {
      lines += write_system_line(set.system);
      if (!lines.ends_with('\n')) lines += '\n';
      table += fmt::format("{},\"{}\",{}\n", ++number, set.place, set.hash);
    }
  }
  members.push_back({fmt::format("sets/{}.jsonl", experiment.name), std::move(lines)});
  members.push_back({fmt::format("sets/{}.csv", experiment.name), std::move(table)});
}

void write_runs(json::Writer& out, const RunHistory& history) {
  out.key("runs").begin_array();
  for (const RunRecord& run : history.runs) {
    out.begin_object().key("command").string(run.command).key("started").string(run.started);
    out.key("machine").string(run.machine).key("cpus").integer(run.cpus);
    out.key("threads").integer(run.threads).key("ranks").integer(run.ranks);
    if (run.seconds) out.key("seconds").number(fmt::format("{:.3f}", *run.seconds));
    out.end_object();
  }
  out.end_array();
}

std::string manifest_of(const std::vector<ArchiveMember>& members, const RunHistory& history,
                        std::string_view version) {
  json::Writer out;
  out.begin_object().key("tactus_bundle").integer(1);
  out.key("made_by").string(version).key("store_made_by").string(history.version);
  out.key("compiler").string(__VERSION__);
  utsname system{};
  if (::uname(&system) == 0) {
    out.key("system").string(
        fmt::format("{} {} {}", system.sysname, system.release, system.machine));
  }
  out.key("machine").string(host::processor_name()).key("made").string(host::now_utc());
  write_runs(out, history);
  out.key("files").begin_array();
  for (const ArchiveMember& member : members) {
    out.begin_object().key("name").string(member.name);
    out.key("bytes").integer(static_cast<std::int64_t>(member.bytes.size()));
    out.key("sha256").string(exchange::sha256(member.bytes)).end_object();
  }
  out.end_array().end_object();
  return out.take();
}

/// Have all sets of the points that were run been judged by all lines?
bool finished(const Results& results) {
  for (const Point& point : results.points) {
    std::int64_t most = 0, least = results.sets;
    for (const Curve& curve : results.curves) {
      most = std::max(most, results.cell(point.index, curve.index).sets);
      least = std::min(least, results.cell(point.index, curve.index).sets);
    }
    const std::int64_t wanted = std::min(results.sets, most_sets(results.experiment, point));
    if (most > 0 && least < wanted) return false;
  }
  return true;
}

/// Name and SHA-256 of every file that the list names; nothing if it is none.
std::optional<std::map<std::string, std::string>> listed_files(const std::string& manifest) {
  const auto parsed = json::Document::parse(manifest);
  if (!parsed || !parsed->root().is(json::Kind::kObject)) return std::nullopt;
  const json::Value* files = parsed->root().find("files");
  if (files == nullptr || !files->is(json::Kind::kArray)) return std::nullopt;
  std::map<std::string, std::string> listed;
  for (const json::Value& file : files->items()) {
    if (!file.is(json::Kind::kObject)) return std::nullopt;
    const json::Value *name = file.find("name"), *hash = file.find("sha256");
    const bool good = name != nullptr && hash != nullptr && name->is(json::Kind::kString) &&
                      hash->is(json::Kind::kString);
    if (!good) return std::nullopt;
    listed.emplace(name->text(), hash->text());
  }
  return listed;
}

std::string shown(const RawVerdict& verdict) {
  std::string text = fmt::format("{}: ", verdict.experiment);
  if (!verdict.case_name.empty()) text += fmt::format("case {}, ", verdict.case_name);
  return text + fmt::format("x {}, set {}, {} ({})", verdict.x, verdict.set, verdict.line,
                            verdict.variant);
}

std::string answer_of(const RawVerdict& verdict) {
  std::string text(to_string(verdict.status));
  if (verdict.value) text += fmt::format(" {}", *verdict.value);
  return text;
}

/// The answers of a store: [which verdict] -> answer.
Result<std::map<std::string, std::string>> answers_of(const std::string& store) {
  std::map<std::string, std::string> answers;
  const auto problem = for_each_verdict(store, false, [&](const RawVerdict& verdict) {
    answers[shown(verdict)] = answer_of(verdict);
    return true;
  });
  if (problem) return *problem;
  return answers;
}

}  // namespace

Result<std::vector<ArchiveMember>> bundle_of(const std::string& store, std::string_view version,
                                             std::vector<ArchiveMember> more) {
  const auto history = read_history(store);
  if (!history) return history.error();
  auto bytes = bytes_of(store_file(store));
  if (!bytes) return bytes.error();
  const auto all = read_results(store);
  if (!all) return all.error();
  std::vector<ArchiveMember> members = {{std::string(kBundledStore), std::move(*bytes)}};
  for (const Results& results : *all) {
    members.push_back({fmt::format("experiments/{}.json", results.experiment.name), results.file});
    if (!finished(results)) {
      return Error{
          fmt::format("{} is not finished; `tactus lab reproduce --resume` goes on with it",
                      results.experiment.name)};
    }
    if (results.experiment.own) add_own_sets(results.experiment, members);
  }
  std::move(more.begin(), more.end(), std::back_inserter(members));
  constexpr std::size_t kLongestName = 100;
  for (const ArchiveMember& member : members) {
    if (member.name.size() > kLongestName) {
      return Error{fmt::format("the name {} is too long for an archive", quote(member.name))};
    }
  }
  members.insert(members.begin(),
                 {std::string(kManifest), manifest_of(members, *history, version)});
  return members;
}

const std::string* find_member(const std::vector<ArchiveMember>& members, std::string_view name) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const ArchiveMember& one) { return one.name == name; });
  return found == members.end() ? nullptr : &found->bytes;
}

std::vector<std::string> tampered(const std::vector<ArchiveMember>& members) {
  const std::string* manifest = find_member(members, kManifest);
  if (manifest == nullptr) return {fmt::format("{} is missing", kManifest)};
  auto listed = listed_files(*manifest);
  if (!listed) return {fmt::format("{} cannot be read", kManifest)};
  std::vector<std::string> problems;
  for (const ArchiveMember& member : members) {
    if (member.name == kManifest) continue;
    const auto found = listed->find(member.name);
    if (found == listed->end()) {
      problems.push_back(fmt::format("{} was added", printable_line(member.name)));
      continue;
    }
    if (exchange::sha256(member.bytes) != found->second) {
      problems.push_back(fmt::format("{} was changed", printable_line(member.name)));
    }
    listed->erase(found);
  }
  for (const auto& [name, hash] : *listed) {
    problems.push_back(fmt::format("{} is missing", printable_line(name)));
  }
  if (find_member(members, kBundledStore) == nullptr) {
    problems.push_back(fmt::format("{} is missing", kBundledStore));
  }
  return problems;
}

Result<RunOutcome> run_again(const std::string& store, const RunRequest& request) {
  const auto all = read_results(store);
  if (!all) return all.error();
  RunOutcome sum;
  for (const Results& results : *all) {
    RunRequest one = request;
    one.wanted = {{results.experiment, results.file}};
    one.sets = results.sets;
    one.resume = request.resume || &results != all->data();
    std::set<std::string> xs;
    for (const Point& point : results.points) {
      const bool any = std::any_of(
          results.curves.begin(), results.curves.end(),
          [&](const Curve& curve) { return results.cell(point.index, curve.index).sets > 0; });
      if (any) xs.insert(point.x);
    }
    one.points = std::vector<std::string>(xs.begin(), xs.end());
    const auto outcome = run(one);
    if (!outcome) return outcome.error();
    sum.judged += outcome->judged;
    sum.left += outcome->left;
    sum.seconds += outcome->seconds;
    if (sum.left > 0) break;
  }
  return sum;
}

Result<StoreDifference> compare_stores(const std::string& before, const std::string& now) {
  const auto old_ones = answers_of(before), new_ones = answers_of(now);
  if (!old_ones) return old_ones.error();
  if (!new_ones) return new_ones.error();
  StoreDifference difference;
  constexpr std::size_t kShown = 10;
  const auto differs = [&](const std::string& which, std::string_view was, std::string_view is) {
    ++difference.differing;
    if (difference.first.size() < kShown) {
      difference.first.push_back(
          printable_line(fmt::format("{}: the bundle says {}, now {}", which, was, is)));
    }
  };
  for (const auto& [which, answer] : *old_ones) {
    const auto found = new_ones->find(which);
    ++difference.compared;
    if (found == new_ones->end()) {
      differs(which, answer, "nothing");
    } else if (found->second != answer) {
      differs(which, answer, found->second);
    }
  }
  for (const auto& [which, answer] : *new_ones) {
    if (!old_ones->contains(which)) differs(which, "nothing", answer);
  }
  return difference;
}

}  // namespace tactus::experiment
