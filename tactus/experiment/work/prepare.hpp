#pragma once

#include <memory>
#include <vector>

#include "tactus/experiment/judge/judge.hpp"
#include "tactus/experiment/store/store.hpp"
#include "tactus/experiment/work/run_experiment.hpp"

namespace tactus::experiment {

/// An experiment that is going to run.
struct Prepared {
  explicit Prepared(Experiment read) : experiment(std::move(read)), judge(experiment) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  Experiment experiment;
  Judge judge;
  StoredExperiment stored;
  CurveSet added;  ///< what some sets in the store lack; all of the same size
};
using PreparedList = std::vector<std::unique_ptr<Prepared>>;

/// What is wrong with a request before there is a store: points that an experiment does not
/// have.
std::optional<Error> refuse(const RunRequest& request);

/// Enters the request into the store, or says why it contradicts what is there. Throws
/// SqliteError.
Result<PreparedList> prepare(Store& store, const RunRequest& request);

}  // namespace tactus::experiment
