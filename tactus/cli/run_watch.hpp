#pragma once

#include <string>
#include <thread>

#include "tactus/cli/long_work.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::cli {

/// Looks at a run while it goes on: a live line on a terminal, and the whole report when SIGUSR1 asks
/// for it. The thread that runs the plan only copies what was seen; another one writes.
class RunWatch {
 public:
  struct Of {
    std::string_view method, variant;
  };
  RunWatch(const System& system, LongWork& work, Of of)
      : system_(system), work_(work), of_(of), progress_(work.progress()) {}

  void look(const trace::Observed& so_far);

 private:
  void print(trace::Observed so_far) const;
  std::string line(const trace::Observed& so_far) const;

  const System& system_;
  LongWork& work_;
  Of of_;
  std::function<void(std::string_view)> progress_;
  std::jthread writer_;
};

}  // namespace tactus::cli
