#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/described.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tactus/methods/rtgpu/rtgpu_task_set.hpp"

/// What the four methods share: variants, the result of a search, and the verdict made from it.
namespace tactus::rtgpu {

inline constexpr std::string_view kPaper = "paper", kTight = "tight";
inline constexpr std::array<std::string_view, 3> kRtgpuVariants = {kSafe, kPaper, kTight};
inline constexpr std::array<std::string_view, 2> kBaselineVariants = {kSafe, kPaper};

inline constexpr std::string_view kPaperTitle =
    "Zou, Li, Gill, Zhang: RTGPU: Real-Time GPU Scheduling of Hard Deadline Parallel Tasks with "
    "Fine-Grain Utilization, IEEE TPDS 2023";
inline constexpr std::string_view kAssumes =
    "chains of cpu, copy and gpu nodes; D <= T; priorities on all tasks or none; one gpu";

/// Of the baselines: the paper prints no formulas for them.
inline constexpr std::string_view kPaperWarning =
    "bounds follow a weak reading of the paper's description and are not safe; "
    "docs/use/methods/rtgpu.md has the counterexamples";

inline constexpr OptionSpec kAllocation = {
    "allocation", "TASK=SMS,...", "analyse this allocation of physical SMs instead of searching"};
inline constexpr std::array<OptionSpec, 1> kOptions = {{kAllocation}};
/// Of the searches that may go through very many allocations.
inline constexpr std::array<OptionSpec, 2> kSearchOptions = {{
    kAllocation,
    {"time-limit", "SECONDS", "search for this long; default: a number of steps, about 2 s"},
}};

/// Physical SMs of each real-time task, most urgent first.
using Counts = std::vector<std::int64_t>;

/// What an analysis says about one task under one allocation.
struct TaskReport {
  std::optional<Time> bound;  ///< R by the variant asked for, nothing when beyond the deadline
  std::vector<Term> terms;
  std::vector<SegmentBound> segments;
  /// Of the rtgpu methods: R by the paper's per-copy windows, and by `tight`.
  std::optional<Time> per_copy, whole_job;
};

/// The end of a search for an allocation.
struct SearchResult {
  Counts counts;                    ///< of a schedulable set; else empty
  std::vector<TaskReport> reports;  ///< of every real-time task, when schedulable; else empty
  std::string reason;               ///< why there is no allocation
  /// The first task that misses and what its demand is made of, where the search knows it.
  std::optional<std::size_t> failing = {};
  std::vector<Term> demand = {};
  std::string warning = {};  ///< about the allocation; empty where there is none
};

/// Throws `Stopped` when the caller asks to stop.
inline void check_stop(const Options& options) { Stopped::check(options.stop); }

enum class PlanKind { kInterleaved, kPlain };

/// "not enough SMs", from the minima alone; empty when they fit.
std::string not_enough_sms(const TaskSet& set);

/// An analysis in two forms: with the allocation given, and with a search for one.
struct Analysis {
  PlanKind plan = PlanKind::kPlain;
  std::vector<TaskReport> (*given)(const TaskSet&, const Counts&, const Options&) = nullptr;
  SearchResult (*search)(const TaskSet&, const Options&) = nullptr;
  /// What else the method does not cover; may be null.
  std::optional<Refusal> (*refuse)(const System&, const TaskSet&) = nullptr;
};

/// Runs an analysis and makes the verdict: plan, warnings, limits as "undecided".
Verdict run(const Analysis& analysis, const System& system, const Options& options);

/// `Method::analyze` by an analysis.
template <const Analysis& kAnalysis>
Verdict analyze_by(const System& system, const Options& options) {
  return run(kAnalysis, system, options);
}

/// A method of the family, as far as all share it.
constexpr Method family_member(std::string_view id, std::string_view title, Part part) {
  Method method = described(id, title, kPaperTitle, kAssumes);
  method.makes_plan = true;
  method.check_plan = check_on_time<check_plan, Instead::kSporadic>;
  method.read_plan = read_on_time<read_plan, Instead::kSporadic>;
  method.behaviour.recipe = "rtgpu-small";
  method.look = {.part = part};
  return method;
}

}  // namespace tactus::rtgpu
