#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/described.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/pbs/pbs_task_set.hpp"
#include "tactus/methods/releases.hpp"

/// What the three methods share: texts, options, and how they are read.
namespace tactus::pbs {

inline constexpr std::string_view kPaperTitle =
    "Feddal, Zahaf, Lipari: Towards Efficient Parallel GPU Scheduling: Interference Awareness with "
    "Schedule Abstraction, RTNS 2024";
inline constexpr std::string_view kAssumes =
    "one gpu; periodic tasks of one kernel each, offset + D <= T; batches, slowdown, or neither";
inline constexpr std::array<std::string_view, 1> kVariants = {kSafe};
inline constexpr std::string_view kPaper = "paper";
inline constexpr std::array<std::string_view, 2> kGraphVariants = {kSafe, kPaper};
inline constexpr std::string_view kPrintedWarning =
    "variant paper: GPUSched as printed; a yes may be wrong (its table may idle while jobs wait, "
    "which PBS does not), a no may be wrong, too; docs/errata.md";

/// What pbs.graph calls itself with `--idle`.
inline constexpr std::string_view kIdling = "pbs.graph+idle";

/// The options of a call, read.
struct Settings {
  Time margin;
  bool idle = false, all = false, no_merge = false;
  std::int64_t time_limit_ms = 60'000;
  std::int64_t memory_limit = std::int64_t{1024} << 20;  ///< bytes
  std::int64_t state_limit = INT64_MAX;
  std::int64_t up_to_job = INT64_MAX;  ///< with `all`: of what is counted
};

inline constexpr OptionSpec kMarginOption = {
    "margin", "TIME", "added to every completion (timer, submission latency), in the file's unit"};
inline constexpr std::array<OptionSpec, 1> kBaselineOptions = {kMarginOption};
inline constexpr std::array<OptionSpec, 9> kGraphOptions = {
    OptionSpec{"idle", "", "also accept tables that idle while jobs wait (not PBS)"},
    OptionSpec{"all", "", "explore and count the whole scheduling graph; --dot draws it"},
    OptionSpec{"no-merge", "", "with --all: also count vertices as if nothing were merged"},
    OptionSpec{"up-to-job", "N", "with --all: count only vertices of at most N executed jobs"},
    OptionSpec{"order", "fifo|lifo|time", "variant paper: which vertex is expanded next"},
    OptionSpec{"time-limit", "SECONDS", "give up after this long; default 60"},
    OptionSpec{"memory-limit", "MIB", "give up beyond this much memory; default 1024"},
    OptionSpec{"state-limit", "N", "give up after this many expanded states; default none"},
    kMarginOption,
};

/// The settings, or which value is not one.
Result<Settings> read_settings(const System& system, const Options& options);

/// Hyperperiod and number of jobs.
void add_set_figures(const System& system, const TaskSet& set, Verdict& verdict);

/// `Method::read_plan` of the three methods.
Verdict read_table(const System& system, const json::Value& plan);

/// Re-verifies a schedule table by the rules of docs/use/methods/pbs.md; shares nothing with the
/// search.
std::vector<std::string> check_table(const System& system, const json::Value& plan);

/// `Method::by_hand`: a table of batches is judged by its frames alone.
bool is_table_by_hand(const json::Value& plan);

/// A method of the family, as far as all share it.
constexpr Method family_member(std::string_view id, std::string_view title,
                               std::string_view behaviour, Part part) {
  Method method = described(id, title, kPaperTitle, kAssumes);
  method.variants = kVariants;
  method.makes_plan = true;
  method.check_plan = check_on_time<check_table, Instead::kTable>;
  method.read_plan = read_on_time<read_table, Instead::kTable>;
  method.by_hand = is_table_by_hand;
  method.behaviour = {.name = behaviour, .recipe = "pbs-small", .fixes_releases = true};
  method.look = {.part = part};
  method.follows_jobs = true;
  return method;
}

}  // namespace tactus::pbs
