#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/decide/cover.hpp"

/// The processes of a deployment, as they run on this machine.
namespace tactus::deploy {

/// A process that says whose task it is (`arbiter::kTaskVariable`).
struct TaskProcess {
  int pid = 0;
  std::string task;
  std::map<std::string, std::string> environment;  ///< as it was started
  bool library = false;                            ///< the preloaded library is in it
  std::set<int> cpus;
  int fifo = 0;
};

/// Of a system by that name; only those that this user may look into.
std::vector<TaskProcess> running_tasks(std::string_view system);

/// What was seen of the arbiter; nothing where none listens.
struct SeenArbiter {
  arbiter::client::Snapshot snapshot;
  std::optional<int> cpu;
  int fifo = 0;
};
std::optional<SeenArbiter> running_arbiter(const std::string& socket);

/// For the judge: what runs now. @param real_gpu is GPU work done on a GPU?
decide::Start running_start(const System& system, const std::vector<TaskProcess>& processes,
                            const std::optional<SeenArbiter>& arbiter, bool real_gpu);

}  // namespace tactus::deploy
