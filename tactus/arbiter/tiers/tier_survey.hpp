#pragma once

#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/base/time.hpp"

namespace tactus::arbiter::tiers {

/// What was found out about one tier on this machine, by trying it.
struct TierFound {
  std::string name;
  bool available = false;
  bool leaves_by_itself = false;  ///< `Tier::leaves_by_itself`
  std::string reason = {};        ///< why not
  std::vector<Time> take_off = {}, put_back = {};
  bool timed() const { return !take_off.empty(); }
};

struct TierSurvey {
  std::string machine;  ///< the GPU; empty: none
  std::string driver;   ///< version of the kernel driver; empty: none
  std::vector<TierFound> tiers;
};

struct SurveyOptions {
  int device = 0;
  int rounds = 50;
  std::string program;  ///< the `tactus` to start for the trial
  std::string preload;  ///< the library that the tier channel needs
};

/// Tries every tier in a separate process, so that a driver can do harm only there. Does not fail
/// without a GPU: then it says so for every tier.
Result<TierSurvey> survey_tiers(const SurveyOptions& options);

/// What that process does. @param file descriptor of the memory to leave the findings in
int run_tier_process(int file, int device, int rounds);

}  // namespace tactus::arbiter::tiers
