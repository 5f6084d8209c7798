#include "tactus/decide/gpu_costs.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/model/gpu_element.hpp"

namespace tactus::decide {
namespace {

constexpr std::string_view kArbiter = "bench/results/h200/arbiter-2026-11-15.md",
                           kBoost = "bench/results/h200/boost-2026-11-16.md",
                           kSlice = "bench/results/h200/timeslice-2026-11-17.md",
                           kPlatform = "bench/results/h200/platform.system.json";

// The longest of each, because bounds rest on them. A switch between contexts and the slice are the
// driver's own; they are the same whoever decides.
constexpr GpuCost kDriverCosts[] = {
    {"time_slice", Time::from_ns(2'048'000), "2048", "us", kSlice},
    {"context_switch", Time::from_ns(248'320), "248.32", "us", kPlatform},
};
constexpr GpuCost kChannelCosts[] = {
    kDriverCosts[0],
    kDriverCosts[1],
    // Off and on, one behind the other. The driver serialises what several programs ask at once.
    {"runlist_update", Time::from_ns(2'668'000), "2.021 + 0.647", "ms", kArbiter, true},
    {"start_cost", Time::from_ns(890'700), "890.7", "us", kBoost},
};
constexpr GpuProfile kProfiles[] = {
    {"h200/channel", "NVIDIA H200", "580.159.04", "2026-11-15",
     "gcaps.*, gcaps.boost.*: an arbiter takes running work off", kChannelCosts,
     "measured in a virtual machine, which stands still for up to 10 ms now and then; that is not "
     "in them"},
    {"h200/driver", "NVIDIA H200", "580.159.04", "2026-11-15",
     "tsg-rr.*: the driver shares the GPU by itself", kDriverCosts, ""},
};

std::string names_of_profiles() {
  std::vector<std::string_view> names;
  for (const GpuProfile& profile : kProfiles) names.push_back(profile.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Programs that may have to make room at once: all best-effort ones, and a real-time one.
std::int64_t programs_to_leave(const System& system) {
  const auto count = [&](bool best_effort) {
    return std::count_if(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
      return task.best_effort == best_effort && uses_gpu(system, task);
    });
  };
  return std::max<std::int64_t>(1, count(true) + (count(false) > 1 ? 1 : 0));
}

bool gives(const Element& gpu, std::string_view attribute) {
  if (attribute == "time_slice") return gpu.time_slice.has_value();
  if (attribute == "context_switch") return gpu.context_switch.has_value();
  if (attribute == "runlist_update") return gpu.runlist_update.has_value();
  return gpu.start_cost.has_value();
}

}  // namespace

std::span<const GpuProfile> gpu_profiles() { return kProfiles; }

bool is_gpu_cost(std::string_view attribute) {
  return std::any_of(std::begin(kChannelCosts), std::end(kChannelCosts),
                     [&](const GpuCost& cost) { return cost.attribute == attribute; });
}

std::optional<Error> fill_in_costs(Edited& edited, std::string_view name) {
  const auto* const profile =
      std::find_if(std::begin(kProfiles), std::end(kProfiles),
                   [&](const GpuProfile& known) { return known.name == name; });
  const auto wrong = [&](std::string_view problem) {
    return Error{fmt::format("--costs {}: {}", name, problem)};
  };
  if (profile == std::end(kProfiles)) {
    return wrong(fmt::format("there is no such profile; there are {} (tactus gpu profiles)",
                             names_of_profiles()));
  }
  const System& system = edited.system;
  const Element* const gpu = gpu_of(system);
  if (gpu == nullptr) return wrong("the system has no gpu element");
  if (system.time_unit == TimeUnit::kUnit) {
    return wrong("the times of the system have no unit, those of the profile have");
  }
  const std::string element = gpu->name;  // `set` moves the elements
  const std::int64_t programs = programs_to_leave(system);
  bool counted = false, any = false;
  for (const GpuCost& cost : profile->costs) {
    if (gives(*gpu_of(edited.system), cost.attribute)) continue;
    any = true;
    counted = counted || (cost.per_program && programs > 1);
    const Time time = cost.per_program ? cost.time * programs : cost.time;
    if (auto problem = set(edited, fmt::format("{}.{}={}", element, cost.attribute,
                                               format_time(time, edited.system.time_unit)))) {
      return problem;
    }
  }
  if (!any) {
    edited.notes.push_back(
        fmt::format("--costs {} changes nothing: {} has them all", name, element));
    return std::nullopt;
  }
  edited.notes.push_back(
      fmt::format("these costs of {} are the longest that were measured on an {}, driver {}{}; on "
                  "another GPU measure yours: tactus tiers",
                  element, profile->gpu, profile->driver,
                  counted ? fmt::format(", runlist_update for each of {} programs that may have to "
                                        "leave at once",
                                        programs)
                          : ""));
  return std::nullopt;
}

}  // namespace tactus::decide
