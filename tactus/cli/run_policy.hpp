#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "tactus/model/system.hpp"
#include "tactus/model/time.hpp"

namespace tactus::cli {

/// The part of `tactus run` that runs a file's tasks as processes (--policy).
struct PolicyRun {
  std::string policy, mode = "arbiter", tier = "channel", wait = "suspend";

  void add_to(CLI::App& verb);
  bool given() const { return !policy.empty(); }
};

/// What `tactus run` knows besides.
struct PolicyRunSettings {
  std::string backend;
  Time duration;
  int fill = 90, device = 0;
  bool realtime = false, json = false;
};

int run_policy(const System& system, const PolicyRun& policy, const PolicyRunSettings& settings);

}  // namespace tactus::cli
