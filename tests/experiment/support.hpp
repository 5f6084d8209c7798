#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/experiment/store/raw.hpp"
#include "tactus/experiment/work/run_experiment.hpp"
#include "tactus/report/experiments.hpp"
#include "tests/support/folder.hpp"

namespace tactus::experiment {

using Folder = support::TemporaryFolder;

/// Two curves of methods with different verdicts, at two points of two cases.
inline std::string small_file(int sets = 30) {
  return R"json({
  "tactus_experiment": 1, "name": "small", "title": "A small one",
  "recipe": "gcaps-table3", "settings": { "cpus": 2 },
  "sweep": { "label": "U", "set": ["util-min", "util-max"], "values": [0.1, 0.3] },
  "cases": [ { "name": "few", "set": { "tasks-max": 4 } }, { "name": "many", "set": { "cpus": 3 } } ],
  "sets": )json" +
         std::to_string(sets) + R"json(,
  "lines": [ { "name": "ours", "method": "gcaps.suspend", "variants": ["safe", "paper"] },
             { "method": "mpcp.busy" } ],
  "claims": [ { "text": "better", "paper": "> 0", "ours": "mean(ours - mpcp.busy)" },
              { "text": "lost", "paper": ">= 0", "ours": "lost(ours, mpcp.busy)" },
              { "text": "weighted", "paper": 50, "tolerance": 50, "ours": "weighted(ours{few})" },
              { "text": "wrong", "paper": 1000, "ours": "ours{few}[0.1]", "deviation": "known" } ]
})json";
}

inline Wanted wanted(const std::string& file, const std::string& folder = {}) {
  return {read_experiment(file, {.folder = folder}).experiment.value(), file};
}

inline RunRequest request_for(const std::string& folder, const std::string& file, int threads = 1,
                              const std::string& files = {}) {
  RunRequest request;
  request.folder = folder;
  request.wanted = {wanted(file, files)};
  request.context.version = "test";
  request.context.threads = threads;
  return request;
}

/// All that the store of a folder says about results.
inline std::string dump(const std::string& folder) {
  std::string text;
  const auto problem = for_each_verdict(folder, false, [&](const RawVerdict& verdict) {
    text += report::raw_csv(verdict, false);
    return true;
  });
  EXPECT_FALSE(problem) << problem->message;
  return text;
}

}  // namespace tactus::experiment
