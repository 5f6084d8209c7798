#pragma once

#include <optional>
#include <string>

#include "tactus/cli/parser.hpp"
#include "tactus/decide/edit.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::cli {

/// The part of `tactus run` that runs a file's tasks as processes: plans of GPU priorities, of locks
/// around the GPU, and of the driver's round robin.
struct ProcessRun {
  std::string mode, tier, wait;

  void add_to(Parser& verb);
  /// The method that `--mode` and `--wait` choose in place of `method`, or nothing after a
  /// complaint. @param by_alias it was named by the name of its family
  const Method* choose(const Method* method, bool by_alias) const;
  bool given() const { return !mode.empty() || !wait.empty(); }
};

/// What is run: a plan, or a method that makes one from the file.
struct ProcessRunSubject {
  const Method& method;
  std::optional<std::string> variant;  ///< as asked for
  const Verdict* plan = nullptr;       ///< of a plan file
};

/// What `tactus run` knows besides.
struct ProcessRunSettings {
  std::string backend;
  Time duration;
  int fill = 90, device = 0;
  bool realtime = false, json = false;
};

/// Are plans of this method run as processes?
bool runs_as_processes(const Method& method);

int run_processes(const decide::Edited& edited, const ProcessRunSubject& subject,
                  const ProcessRun& how, const ProcessRunSettings& settings);

}  // namespace tactus::cli
