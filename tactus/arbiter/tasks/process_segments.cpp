// GPU segments in a process of their own, on the CPU: the tier `process` stops and continues it as
// a GPU's context would be. All tasks' processes share one CPU, which stands for the GPU.
#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tactus/arbiter/client/process_tier.hpp"
#include "tactus/arbiter/tasks/cpu_work.hpp"
#include "tactus/arbiter/tasks/segment_work.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::tasks {
namespace {

/// What the task and its device process tell each other.
struct Desk {
  std::atomic<std::uint32_t> asked;  ///< futex: segments asked for
  std::atomic<std::uint32_t> done;   ///< futex: segments done
  std::uint64_t steps;
};

/// The last CPU this process can have stands for the GPU.
void settle_on_device() {
  sched_param ordinary{};
  sched_setscheduler(0, SCHED_OTHER, &ordinary);  // without an arbiter, Linux divides it
  cpu_set_t set;
  for (long cpu = sysconf(_SC_NPROCESSORS_CONF) - 1; cpu >= 0; --cpu) {
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) == 0) return;
  }
}

[[noreturn]] int serve(Desk& desk) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "tactus-device");
  settle_on_device();
  for (std::uint32_t next = 1;; ++next) {
    while (desk.asked.load() != next) host::futex_wait(desk.asked, next - 1);
    cpu_work(desk.steps);
    desk.done.store(next);
    host::futex_wake_all(desk.done);
  }
}

class ProcessSegments : public SegmentWork {
 public:
  ProcessSegments(const RunBlock& run, host::SharedMemory memory, host::Child device)
      : run_(run),
        memory_(std::move(memory)),
        desk_(memory_.as<Desk>()),
        device_(std::move(device)),
        tier_(device_.pid()) {}

  std::optional<Error> run(std::int64_t length_ns) override {
    desk_.steps =
        static_cast<std::uint64_t>(static_cast<double>(length_ns) * run_.cpu_steps_per_ns);
    const std::uint32_t mine = desk_.asked.fetch_add(1) + 1;
    host::futex_wake_all(desk_.asked);
    for (std::uint32_t done = desk_.done.load(); done != mine; done = desk_.done.load()) {
      if (run_.busy_wait) {
        host::relax();
      } else {
        host::futex_wait(desk_.done, done);
      }
    }
    return std::nullopt;
  }
  Tier tier() override { return tier_.tier(); }

 private:
  const RunBlock& run_;
  host::SharedMemory memory_;
  Desk& desk_;
  host::Child device_;
  client::ProcessTier tier_;
};

}  // namespace

Result<std::unique_ptr<SegmentWork>> open_process_work(const RunBlock& run) {
  host::SharedMemory memory("tactus-device", sizeof(Desk), host::SharedMemory::For::kForked);
  if (!memory) return Error{"no memory to share with the device process"};
  auto device = host::Child::fork([&] { return serve(memory.as<Desk>()); });
  if (!device) return Error{fmt::format("the device process: {}", device.error().message)};
  return std::unique_ptr<SegmentWork>(
      std::make_unique<ProcessSegments>(run, std::move(memory), std::move(*device)));
}

}  // namespace tactus::arbiter::tasks
