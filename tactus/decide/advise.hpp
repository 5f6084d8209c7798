#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/decide/deployment.hpp"
#include "tactus/decide/edit.hpp"
#include "tactus/decide/reach.hpp"
#include "tactus/decide/search.hpp"

/// What to deploy: searches what a file leaves open for the way of running it that leaves most room,
/// among those that tactus can run.
namespace tactus::decide {

enum class Goal {
  kFactor,  ///< all times may grow most
  kSms,     ///< fewest SMs; of equally few the largest factor
};

struct Wish {
  Open open;
  bool sms = false;  ///< fewer SMs than the file has
  std::vector<const Method*> methods;
  Target target = Target::kAny;
  Goal goal = Goal::kFactor;
  Effort effort;
  int threads = 1;
  std::stop_token stop;
  std::function<void(std::string_view)> progress;  ///< told from one thread at a time
};

/// One way to run the system.
struct Option {
  const Method* method = nullptr;
  Deployment deployment;
  /// In thousandths, verified with what was chosen unchanged; 1000 and more: the system is proved.
  std::int64_t factor = kNoFactor;
  bool exact = false;           ///< no larger one does, as far as this method goes
  Breaks limit;                 ///< what breaks at the next thousandth
  System system;                ///< with everything chosen, and `deploy`
  Verdict verdict;              ///< on it, with its plan
  std::vector<Change> changes;  ///< from the file to it
  std::int64_t cores = 0;       ///< that its tasks are on
  std::optional<std::int64_t> arbiter_core;
  std::int64_t sms = 0;
  std::string shares;  ///< of the tasks, where the method divides the SMs: in its plan

  bool proved() const { return factor >= kAsInFile; }
};

/// A method that was left out, and why.
struct LeftOut {
  const Method* method = nullptr;
  std::string why;
};

struct Advice {
  std::vector<Option> options;  ///< best first, at most one per method
  std::vector<LeftOut> left_out;
  std::int64_t analyses = 0;
  bool exhaustive = true;  ///< every candidate was looked at, by every method
  bool stopped = false;    ///< before the end: the best so far
  bool found() const { return !options.empty() && options.front().proved(); }
};

/// What the file leaves open: cores and priorities that it does not give, GPU priorities where it
/// gives none; methods where it deploys none.
Open left_open(const System& system);

/// Why shares of the SMs cannot be searched: no method that takes them as given covers the file and
/// may be used. Nothing where one does.
std::optional<std::string> why_no_shares(const System& system, const Wish& wish);

/// Why fewer SMs cannot be searched: the file does not say what kernels take on them. Nothing where
/// they can.
std::optional<std::string> why_no_fewer_sms(const System& system);

Advice advise(const System& system, const Wish& wish);

}  // namespace tactus::decide
