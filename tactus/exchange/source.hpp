#pragma once

#include <memory>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/bytes.hpp"
#include "tactus/exchange/options.hpp"
#include "tactus/exchange/recorded_jobs.hpp"

namespace tactus::exchange {

/// What is imported: its bytes, and the beginning of them, which tells the format.
class Source {
 public:
  /// `path` is empty for a text.
  Source(std::unique_ptr<Bytes> bytes, std::string path, Watch watch = {});

  std::string_view head() const { return head_; }
  const std::string& path() const { return path_; }
  /// All bytes, with the beginning.
  Bytes& bytes() { return *whole_; }

 private:
  std::string head_, path_;
  std::unique_ptr<Bytes> whole_;
};

/// A system that is not checked yet, or all problems of the source.
struct Draft {
  System system;
  std::vector<std::string> notes;
  std::vector<Diagnostic> problems;
  std::vector<TaskSeen> seen = {};

  static Draft bad(std::string message, Position at = {}) {
    return {{}, {}, {{std::move(message), {}, at}}, {}};
  }
};

/// What was recorded, or why that cannot be read.
struct Recorded {
  Recorded(Recording made) : recording(std::move(made)) {}
  Recorded(Error error) : problem(std::move(error)) {}

  Recording recording;
  std::optional<Diagnostic> problem = {};
};

/// From a recording on, all tools that make them are alike.
Draft draft_of(Recording recording, const ImportOptions& options);

/// What requests of programs cost, as the log of the arbiter shows it; 0: it does not.
struct ArbiterCosts {
  std::int64_t runlist_update = 0, context_switch = 0, preemption_delay = 0;
  std::int64_t preempt_cost = 0, resume_cost = 0, start_cost = 0;
};
struct CostsFound {
  ArbiterCosts costs;
  std::optional<Diagnostic> problem = {};
};
CostsFound costs_in_arbiter_log(Source& source);
/// Gives the GPUs what was seen, plus the margin.
void add_costs(const ArbiterCosts& costs, const ImportOptions& options, Draft& draft);

// The readers of the formats, one file each.
Recorded record_kineto(Source& source, const ImportOptions& options);
Recorded record_nsys(Source& source, const ImportOptions& options);
Recorded record_tensorrt(Source& source, const ImportOptions& options);
Recorded record_onnx(Source& source, const ImportOptions& options);
Recorded record_chrome(Source& source, const ImportOptions& options);
Recorded record_ros2(Source& source, const ImportOptions& options);
Draft import_own_trace(Source& source, const ImportOptions& options);
Draft import_arbiter_log(Source& source, const ImportOptions& options);
Draft import_sag(Source& source, const ImportOptions& options);
Draft import_dot(Source& source, const ImportOptions& options);
Draft import_graphml(Source& source, const ImportOptions& options);
Draft import_amalthea(Source& source, const ImportOptions& options);
Draft import_times(Source& source, const ImportOptions& options);
Draft import_yaml(Source& source, const ImportOptions& options);

/// Gives nodes without a time the longest time that a CSV has for kernels of their name.
void add_times(std::string_view csv, const ImportOptions& options, Draft& draft);

}  // namespace tactus::exchange
