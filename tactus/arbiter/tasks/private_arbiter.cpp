#include "tactus/arbiter/tasks/private_arbiter.hpp"

#include <algorithm>

#include "tactus/arbiter/daemon/isolation.hpp"

namespace tactus::arbiter::tasks {

Time least_update_timeout(const System& system) {
  Time longest;
  for (ElementIndex i = 0; i < system.platform.elements.size(); ++i) {
    const Element& gpu = system.platform.elements[i];
    if (gpu.kind != ElementKind::kGpu) continue;
    const auto uses_it = [&](const Task& task) {
      return task.best_effort && std::any_of(task.nodes.begin(), task.nodes.end(),
                                             [&](const Node& node) { return node.on == i; });
    };
    const auto leaving = std::count_if(system.tasks.begin(), system.tasks.end(), uses_it);
    const Time delay = gpu.preemption_delay.value_or(Time()) * std::max<std::int64_t>(1, leaving);
    longest = std::max(longest, gpu.runlist_update.value_or(Time()) + delay);
  }
  return 2 * longest;
}

Result<std::unique_ptr<PrivateArbiter>> PrivateArbiter::start(daemon::DaemonOptions options,
                                                              std::optional<int> cpu) {
  std::unique_ptr<PrivateArbiter> made(new PrivateArbiter);
  auto folder = OwnFolder::make();
  if (!folder) return folder.error();
  made->folder_ = std::move(*folder);
  options.socket = made->socket();
  auto opened = daemon::Daemon::open(std::move(options));
  if (!opened) return opened.error();
  made->daemon_ = std::move(*opened);
  made->thread_ = std::thread([arbiter = made.get(), cpu] { arbiter->serve(cpu); });
  return made;
}

void PrivateArbiter::serve(std::optional<int> cpu) {
  if (cpu) daemon::isolate(cpu, 0);  // where it cannot be, `why_not_isolated` says so in the end
  problem_ = daemon_->prepare();
  if (!problem_) problem_ = daemon_->run();
  why_not_isolated_ = arbiter::daemon::why_not_isolated(cpu);
}

std::optional<Error> PrivateArbiter::end() {
  if (thread_.joinable()) {
    daemon_->stop();
    thread_.join();
  }
  return problem_;
}

PrivateArbiter::~PrivateArbiter() {
  end();
  daemon_.reset();
}

}  // namespace tactus::arbiter::tasks
