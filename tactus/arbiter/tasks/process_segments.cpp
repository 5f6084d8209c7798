// GPU segments in a process of their own, on the CPU: the tier `process` stops and continues it as
// a GPU's context would be. All tasks' processes share one CPU, which stands for the GPU.
#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "tactus/arbiter/client/process_tier.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/tasks/cpu_work.hpp"
#include "tactus/arbiter/tasks/segment_work.hpp"
#include "tactus/client.h"
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

/// Stands for the stream of a GPU: waits at the gate of a segment, has its work done, and writes
/// its mark. A thread of the task, because the words of the gate are in its memory.
class GatedStream {
 public:
  explicit GatedStream(std::function<void()> work)
      : work_(std::move(work)), thread_([this](const std::stop_token& stop) { serve(stop); }) {}
  ~GatedStream() {
    thread_.request_stop();
    launches_.fetch_add(1);
    host::futex_wake_all(launches_);
  }

  void launch(const tactus_words& words) {
    words_ = words;
    launches_.fetch_add(1);
    host::futex_wake_all(launches_);
  }

 private:
  void serve(const std::stop_token& stop) {
    for (std::uint32_t seen = 0;; ++seen) {
      while (launches_.load() == seen) host::futex_wait(launches_, seen);
      if (stop.stop_requested()) return;
      auto& gate = word(words_.gate);
      for (std::uint32_t now = gate.load(); !reached(now, words_.value); now = gate.load())
        host::futex_wait(gate, now);
      work_();
      word(words_.mark).store(words_.value);
    }
  }
  static std::atomic<std::uint32_t>& word(std::uint32_t* at) {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(at);  // as the arbiter's page has it
  }

  std::function<void()> work_;
  std::atomic<std::uint32_t> launches_ = 0;  ///< futex
  tactus_words words_ = {};
  std::jthread thread_;
};

class ProcessSegments : public SegmentWork {
 public:
  ProcessSegments(const RunBlock& run, host::SharedMemory memory, host::Child device)
      : run_(run),
        memory_(std::move(memory)),
        desk_(memory_.as<Desk>()),
        device_(std::move(device)),
        tier_(device_.pid()),
        stream_([this] { have_it_done(); }) {}

  std::optional<Error> run(std::int64_t length_ns) override {
    set_length(length_ns);
    have_it_done();
    return std::nullopt;
  }
  std::optional<Error> hand_over(std::int64_t length_ns) override {
    tactus_words words;
    if (const int result = tactus_segment_words(&words); result < 0)
      return Error{tactus_result_text(result)};
    set_length(length_ns);
    stream_.launch(words);
    return std::nullopt;
  }
  Tier tier() override { return tier_.tier(); }

 private:
  void set_length(std::int64_t length_ns) {
    desk_.steps =
        static_cast<std::uint64_t>(static_cast<double>(length_ns) * run_.cpu_steps_per_ns);
  }

  void have_it_done() {
    const std::uint32_t mine = desk_.asked.fetch_add(1) + 1;
    host::futex_wake_all(desk_.asked);
    for (std::uint32_t done = desk_.done.load(); done != mine; done = desk_.done.load()) {
      if (run_.busy_wait) {
        host::relax();
      } else {
        host::futex_wait(desk_.done, done);
      }
    }
  }

  const RunBlock& run_;
  host::SharedMemory memory_;
  Desk& desk_;
  host::Child device_;
  client::ProcessTier tier_;
  GatedStream stream_;
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
