#include "tactus/experiment/work/prepare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "tactus/experiment/store/widen.hpp"

namespace tactus::experiment {
namespace {

const StoredExperiment* find_stored(const std::vector<StoredExperiment>& all,
                                    std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const StoredExperiment& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// The points at the given values of x.
Result<std::vector<std::size_t>> choose_points(const Experiment& experiment,
                                               const std::vector<std::string>& values) {
  const bool all = values == std::vector<std::string>{"all"};
  const std::vector<Point> points = points_of(experiment);
  std::vector<std::size_t> chosen;
  std::vector<std::string_view> known;
  for (const Point& point : points) {
    known.push_back(point.x);
    if (all || std::find(values.begin(), values.end(), point.x) != values.end()) {
      chosen.push_back(point.index);
    }
  }
  for (const std::string& x : values) {
    if (all || std::find(known.begin(), known.end(), x) != known.end()) continue;
    std::string list;
    for (const Point& point : points) {
      if (point.case_index == 0) list += " " + point.x;
    }
    return Error{fmt::format("{} has no point {}; it has{}", experiment.name, quote(x), list)};
  }
  return chosen;
}

Result<Experiment> read_stored(const StoredExperiment& stored, const std::string& path) {
  ReadExperiment read = read_experiment(stored.file, {.known = stored.own});
  if (read.experiment) return std::move(*read.experiment);
  const std::string why = read.diagnostics.empty()
                              ? to_string(read.elsewhere.front())
                              : to_string(read.diagnostics.front(), stored.name);
  return Error{
      fmt::format("experiment {} in {} cannot be read: {}", quote(stored.name), path, why)};
}

/// Why the store of an experiment cannot be continued with what is wanted now.
std::optional<Error> refuse(const StoredExperiment& before, const Experiment& wanted,
                            const std::string& path) {
  if (before.key != key_of(wanted)) {
    const auto stored = read_stored(before, path);
    if (!stored) return stored.error();
    const std::string why = why_not_widened(*stored, wanted);
    if (!why.empty()) {
      return Error{fmt::format("{} has another experiment {}: {}; start a new run with -o", path,
                               quote(wanted.name), why)};
    }
  }
  if (!before.own || !wanted.own) return std::nullopt;
  const auto differs = difference(*before.own, *wanted.own);
  if (!differs) return std::nullopt;
  return Error{
      fmt::format("{} was begun with other files: {}; start a new run with -o", path, *differs)};
}

Result<std::vector<Wanted>> wanted_by_store(const std::vector<StoredExperiment>& stored,
                                            const std::string& path) {
  if (stored.empty()) return Error{fmt::format("there is nothing to resume in {}", path)};
  std::vector<Wanted> wanted;
  for (const StoredExperiment& one : stored) {
    auto known = read_stored(one, path);
    if (!known) return known.error();
    Experiment& experiment = *known;
    // The files themselves, where they still are.
    std::error_code ignored;
    if (experiment.own && std::filesystem::is_directory(experiment.own->folder, ignored)) {
      const FoundSets now = find_sets(experiment, experiment.own->folder);
      if (!now.sets) {
        return Error{fmt::format("the files of {} cannot be read any more: {}", one.name,
                                 now.complaints.empty() ? now.wrong_patterns.front()
                                                        : to_string(now.complaints.front()))};
      }
      experiment.own = now.sets;
    }
    if (experiment.name != one.name) {
      return Error{fmt::format("experiment {} in {} is called {} in its file", quote(one.name),
                               path, quote(experiment.name))};
    }
    wanted.push_back({std::move(experiment), one.file});
  }
  return wanted;
}

}  // namespace

std::optional<Error> refuse(const RunRequest& request) {
  if (!request.points) return std::nullopt;
  for (const Wanted& one : request.wanted) {
    const auto chosen = choose_points(one.experiment, *request.points);
    if (!chosen) return chosen.error();
  }
  return std::nullopt;
}

Result<PreparedList> prepare(Store& store, const RunRequest& request) {
  const std::vector<StoredExperiment> stored = store.experiments();
  Result<std::vector<Wanted>> wanted = request.wanted;
  if (request.wanted.empty()) wanted = wanted_by_store(stored, store.path());
  if (!wanted) return wanted.error();

  // First everything is compared, then anything is entered.
  std::vector<std::vector<std::size_t>> points;
  for (const Wanted& one : *wanted) {
    const StoredExperiment* before = find_stored(stored, one.experiment.name);
    if (before != nullptr) {
      if (auto refusal = refuse(*before, one.experiment, store.path())) return std::move(*refusal);
    }
    if (before != nullptr && request.sets && *request.sets < before->sets &&
        !one.experiment.system) {
      return Error{
          fmt::format("{} has {} sets per point of {} to do; a run can be resumed with more sets, "
                      "not with fewer",
                      store.path(), before->sets, one.experiment.name)};
    }
    if (before != nullptr) {
      const std::size_t count = points_of(one.experiment).size();
      for (std::size_t point : before->points) {
        stored_point(static_cast<std::int64_t>(point), count);
      }
    }
    if (before != nullptr && !request.points) {
      points.push_back(before->points);
      continue;
    }
    Result<std::vector<std::size_t>> chosen =
        choose_points(one.experiment, request.points.value_or(std::vector<std::string>{"all"}));
    if (!chosen) return chosen.error();
    points.push_back(std::move(*chosen));
  }
  PreparedList list;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    Wanted& one = (*wanted)[i];
    const StoredExperiment* before = find_stored(stored, one.experiment.name);
    const std::int64_t from_file = one.experiment.system ? 1 : one.experiment.sets;
    const std::int64_t otherwise = before != nullptr ? before->sets : from_file;
    const std::int64_t sets = one.experiment.system ? 1 : request.sets.value_or(otherwise);
    list.push_back(std::make_unique<Prepared>(std::move(one.experiment)));
    list.back()->stored = store.put(list.back()->experiment, one.file, sets, points[i]);
  }
  return list;
}

}  // namespace tactus::experiment
