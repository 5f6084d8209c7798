#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/exchange/bytes.hpp"
#include "tactus/exchange/fold.hpp"
#include "tactus/model/system.hpp"

namespace tactus::exchange {

/// What a task is made of.
enum class TasksBy : std::uint8_t { kAnnotation, kThread, kStream };
inline constexpr auto kTasksByWords =
    words_up_to<TasksBy::kStream>(std::string_view("annotation"), "thread", "stream");

/// Which width a kernel gets in the file.
enum class Demand : std::uint8_t {
  kWhole,      ///< none: its time holds on the whole GPU
  kBlocks,     ///< one SM per block, where there are fewer blocks than SMs
  kOccupancy,  ///< as many SMs as hold its blocks at once: a guess
};
inline constexpr auto kDemandWords =
    words_up_to<Demand::kOccupancy>(std::string_view("whole"), "blocks", "occupancy");

/// Cuts jobs where nothing happens for a while, instead of at annotations.
inline constexpr std::string_view kJobsAtIdleGaps = "idle";

/// Who is told how far a long import has come, and who may end it.
struct Watch {
  std::function<void(std::string_view)> progress;
  std::stop_token stop;
};

struct ImportOptions {
  std::string name;  ///< of the system
  std::string task;  ///< name of the only task; empty: as the source has it
  std::string jobs;  ///< annotations that are jobs (`*` and `?` match); `idle`; empty: what fits
  TasksBy tasks_by = TasksBy::kAnnotation;
  Time gap = Time::from_ms(1);  ///< with `idle`: the shortest pause between two jobs
  Fold fold = Fold::kTask;
  Demand demand = Demand::kBlocks;
  std::int64_t margin = 20;     ///< percent on top of the longest that was seen
  bool gpu_only = false;        ///< leave out CPU work
  bool bcet = false;            ///< write the shortest that was seen as a lower bound
  bool after = false;           ///< write `after` where the jobs of a task follow those of another
  Time lag = Time::from_ms(2);  ///< so closely at most
  std::size_t skip = 0;         ///< jobs left out at the beginning of each task
  std::optional<std::int64_t> cores, sms;
  TimeUnit time_unit = TimeUnit::kMs;
  /// By task; the empty name stands for all tasks.
  std::map<std::string, Time, std::less<>> periods, deadlines;
  std::string tracks = "*";  ///< of a Chrome trace: those whose slices are jobs (`PROCESS/THREAD`)
  std::string gpu_tracks;    ///< those whose slices are GPU work; empty: none
  std::string parts = "*";   ///< slices inside of jobs that are nodes
  std::vector<std::string> join;  ///< files with other recordings of the same run
  std::string edges;              ///< of `sag`: the text of the file of edges
  std::string times;              ///< text of a CSV with times of kernels, for nodes that have none
  std::uint64_t most_bytes = kMostBytes;
  Watch watch;
};

}  // namespace tactus::exchange
