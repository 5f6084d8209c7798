#include "tactus/deploy/checkup.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace tactus::deploy {
namespace {

std::string joined(const std::set<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

std::set<int> without(const std::set<int>& all, const std::set<int>& some) {
  std::set<int> rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

class Checkup {
 public:
  Checkup(const Machine& machine, const Demand& demand) : machine_(machine), demand_(demand) {}

  std::vector<Check> all() {
    driver();
    tiers();
    real_time();
    throttling();
    cpus();
    governor();
    gpu_clocks();
    persistence();
    mps();
    mig();
    memory();
    return std::move(checks_);
  }

 private:
  Check& add(std::string id, bool assumed, std::string why) {
    checks_.push_back({std::move(id), State::kUnknown, {}, std::move(why), {}, assumed});
    return checks_.back();
  }
  static void fine(Check& check, std::string found) {
    check.state = State::kFine;
    check.found = std::move(found);
  }
  static void not_fine(Check& check, std::string found, std::string mend) {
    check.state = State::kNotFine;
    check.found = std::move(found);
    check.mend = std::move(mend);
  }
  static void unknown(Check& check, std::string found, std::string mend) {
    check.found = std::move(found);
    check.mend = std::move(mend);
  }
  bool has_driver() const { return !machine_.driver.version.empty(); }

  void driver() {
    Check& check = add("driver", demand_.gpu, "without a driver there is no GPU to run on");
    if (has_driver()) {
      fine(check,
           fmt::format("{}, branch {}", machine_.driver.version,
                       machine_.driver.version.substr(0, machine_.driver.version.find('.'))));
    } else {
      not_fine(check, machine_.driver.reason, "install the NVIDIA driver, and load its module");
    }
  }

  void tiers() {
    Check& channel = add("tier channel", demand_.channel,
                         "takes unchanged programs off the GPU in the middle of a kernel");
    if (!machine_.driver.supported) {
      not_fine(
          channel, machine_.driver.reason,
          "use a driver of the branch 580, or --tier gate and programs that mark their segments");
    } else if (!machine_.preload_there) {
      not_fine(channel, "libtactus_preload.so is not beside tactus", "install it");
    } else {
      fine(channel, "the driver's branch was measured; `tactus tiers` tries it");
    }
    Check& yield =
        add("tier yield", false, "takes kernels of the Tactus API off at the next block");
    if (has_driver()) {
      fine(yield, "there is a driver; `tactus tiers` tries it");
    } else {
      not_fine(yield, "there is no GPU", "add one, with its driver");
    }
    fine(add("tier gate", false, "programs that mark their segments wait at their checkpoints"),
         "needs nothing of the machine");
    fine(add("tier process", false, "stops processes, for trying without a GPU"),
         machine_.freezer ? "by the kernel's freezer where a control group may be made, or SIGSTOP"
                          : "by SIGSTOP");
  }

  void real_time() {
    Check& check =
        add("real time", demand_.realtime, "tasks of one core keep their order only as SCHED_FIFO");
    const std::string mend = "run as root, or give the user rtprio 99 in /etc/security/limits.conf";
    if (!machine_.may_be_real_time) {
      unknown(check, "the rights of this process cannot be read", mend);
    } else if (*machine_.may_be_real_time) {
      fine(check, "SCHED_FIFO is permitted");
    } else {
      not_fine(check, "this user may not use SCHED_FIFO up to priority 99", mend);
    }
  }

  void throttling() {
    Check& check = add("throttling", demand_.realtime,
                       "the kernel stops real-time threads that run longer, also the arbiter");
    const std::string mend = "sysctl -w kernel.sched_rt_runtime_us=-1 (and in /etc/sysctl.d)";
    if (!machine_.rt_runtime_us) return unknown(check, "its setting cannot be read", mend);
    const std::int64_t runtime = *machine_.rt_runtime_us,
                       period = machine_.rt_period_us.value_or(1'000'000);
    if (runtime < 0 || runtime >= period) return fine(check, "real-time threads are never stopped");
    not_fine(
        check,
        fmt::format("real-time threads get {} ms of every {} ms", runtime / 1000, period / 1000),
        mend);
  }

  void cpus() {
    Check& there = add("CPUs", !demand_.cpus.empty(), "every core of the file needs a CPU");
    const std::set<int> missing = without(demand_.cpus, machine_.online);
    if (!machine_.cpus_known) {
      unknown(there, "the list of CPUs cannot be read", "");
    } else if (missing.empty()) {
      fine(there, fmt::format("{} online", machine_.online.size()));
    } else {
      not_fine(there, fmt::format("there is no CPU {}", joined(missing)),
               "name others with --cpus, or use a larger machine");
    }
    Check& apart = add("isolation", !demand_.cpus.empty(),
                       "on other CPUs the kernel runs other programs and its own work between");
    const std::set<int> wanted = demand_.cpus.empty() ? machine_.isolated : demand_.cpus;
    const std::set<int> shared = without(wanted, machine_.isolated);
    if (!machine_.cpus_known) {
      unknown(apart, "the list of CPUs cannot be read", "");
    } else if (machine_.isolated.empty() || !shared.empty()) {
      not_fine(apart,
               shared.empty() ? "no CPU is isolated"
                              : fmt::format("CPU {} is not isolated", joined(shared)),
               fmt::format("boot with isolcpus={0} nohz_full={0}",
                           shared.empty() ? std::string("LIST")
                                          : fmt::format("{}", fmt::join(wanted, ","))));
    } else {
      fine(apart, fmt::format("CPU {}", joined(machine_.isolated)));
    }
  }

  void governor() {
    Check& check = add("governor", !demand_.cpus.empty(),
                       "at a lower clock everything takes longer than was measured");
    const std::set<int>& used = demand_.cpus.empty() ? machine_.online : demand_.cpus;
    std::set<int> slow;
    std::string name;
    bool all_known = !used.empty();
    for (const int cpu : used) {
      const auto found = machine_.governors.find(cpu);
      all_known = all_known && found != machine_.governors.end();
      if (found == machine_.governors.end() || found->second == "performance") continue;
      slow.insert(cpu);
      name = found->second;
    }
    const std::string mend = "cpupower frequency-set -g performance";
    if (!slow.empty()) {
      not_fine(check, fmt::format("{} on CPU {}", name, joined(slow)), mend);
    } else if (all_known) {
      fine(check, "performance");
    } else {
      unknown(check, "no governor is visible (as in most virtual machines)",
              "see to it on the host that clocks are fixed");
    }
  }

  /// Says that nothing is known of GPUs, if that is so.
  bool no_gpu(Check& check) const {
    if (machine_.gpus_known && !machine_.gpus.empty()) return false;
    unknown(check, has_driver() ? "nvidia-smi does not answer" : "there is no GPU",
            has_driver() ? "install nvidia-smi, which comes with the driver" : "");
    return true;
  }

  void gpu_clocks() {
    Check& check = add("GPU clocks", demand_.gpu,
                       "a GPU that lowers its clock takes longer than was measured");
    if (no_gpu(check)) return;
    for (const GpuState& gpu : machine_.gpus) {
      const int now = std::atoi(gpu.clock_mhz.c_str());
      const int wanted = demand_.gpu_clock_mhz.value_or(std::atoi(gpu.max_clock_mhz.c_str()));
      if (now == 0 || wanted == 0) return unknown(check, "nvidia-smi does not say", "");
      if (now == wanted) continue;
      return not_fine(check, fmt::format("{} MHz now, not {}: they follow the load", now, wanted),
                      fmt::format("nvidia-smi -lgc {0},{0} (or --gpu-clock with the clock at which "
                                  "the times were measured)",
                                  wanted));
    }
    fine(check, fmt::format("{} MHz", machine_.gpus.front().clock_mhz));
  }

  void persistence() {
    Check& check = add("persistence", demand_.gpu,
                       "without it the driver starts anew when the first program comes, and "
                       "forgets locked clocks");
    if (no_gpu(check)) return;
    const auto is_off = [](const GpuState& gpu) { return gpu.persistence != "Enabled"; };
    if (std::none_of(machine_.gpus.begin(), machine_.gpus.end(), is_off))
      return fine(check, "enabled");
    not_fine(check, "disabled", "nvidia-smi -pm 1, or enable nvidia-persistenced");
  }

  void mps() {
    Check& check = add("MPS", demand_.alone,
                       "programs under MPS share one context; bounds between processes do not "
                       "cover that");
    if (machine_.mps) {
      not_fine(check, "its daemon runs", "echo quit | nvidia-cuda-mps-control");
    } else {
      fine(check, "not in use");
    }
  }

  void mig() {
    Check& check = add("MIG", demand_.gpu, "an instance has fewer SMs than the GPU of the file");
    if (no_gpu(check)) return;
    const auto is_on = [](const GpuState& gpu) { return gpu.mig == "Enabled"; };
    if (std::none_of(machine_.gpus.begin(), machine_.gpus.end(), is_on))
      return fine(check, "not in use");
    not_fine(check, "enabled", "nvidia-smi -mig 0, or describe the instance in the file");
  }

  void memory() {
    Check& check =
        add("memory lock", demand_.realtime, "a page that was swapped out comes back late");
    const std::string mend =
        "run as root, or set memlock to unlimited in /etc/security/limits.conf";
    if (!machine_.may_lock_memory) return unknown(check, "its limit cannot be read", mend);
    if (*machine_.may_lock_memory) return fine(check, "any amount may be locked");
    not_fine(check, fmt::format("at most {} bytes may be locked", machine_.locked_memory), mend);
  }

  const Machine& machine_;
  const Demand& demand_;
  std::vector<Check> checks_;
};

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::kFine:
      return "fine";
    case State::kNotFine:
      return "not fine";
    case State::kUnknown:
      return "unknown";
  }
  return {};
}

Demand demand_of(const Launch& launch, const Wish& wish) {
  Demand demand;
  demand.title = fmt::format("{}, {} ({})", launch.system, launch.method, launch.variant);
  const bool plays = launch.way == decide::Way::kPartitions || launch.way == decide::Way::kTables;
  demand.gpu = plays ? wish.backend == "cuda" : wish.by != By::kProcess;
  demand.alone = demand.gpu;
  demand.channel = launch.counts_on_channel;
  demand.realtime = wish.realtime;
  for (const Program& program : launch.programs)
    if (program.cpu) demand.cpus.insert(*program.cpu);
  if (launch.arbiter) demand.cpus.insert(*launch.arbiter->cpu);
  return demand;
}

std::vector<Check> checkup(const Machine& machine, const Demand& demand) {
  return Checkup(machine, demand).all();
}

}  // namespace tactus::deploy
