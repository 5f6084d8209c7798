#pragma once

#include <string>
#include <thread>

#include "tactus/cli/long_work.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::cli {

/// Looks at a run while it goes on: a live line on a terminal, and the whole report when SIGUSR1 asks
/// for it. The thread that runs the plan only copies what was seen; another one writes.
class RunWatch {
 public:
  explicit RunWatch(LongWork& work) : work_(work), progress_(work.progress()) {}

  void look(const System& system, const Verdict& of, const trace::Observed& so_far);

 private:
  std::string line(const trace::Observed& so_far) const;

  LongWork& work_;
  std::function<void(std::string_view)> progress_;
  std::jthread writer_;
};

}  // namespace tactus::cli
