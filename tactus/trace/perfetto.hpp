#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/file.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus {

/// Writes a trace as Chrome JSON, which Perfetto and chrome://tracing open: a row for each core, SM
/// and copy engine, a row a task with its jobs, arrows for precedence, counters for units in use.
/// Streams: memory does not grow with the trace. It takes its place in `close`, as a whole.
class PerfettoWriter final : public TraceSink {
 public:
  PerfettoWriter(const System& system, const std::string& path);
  ~PerfettoWriter() override;
  PerfettoWriter(const PerfettoWriter&) = delete;
  PerfettoWriter& operator=(const PerfettoWriter&) = delete;

  void add(const Interval& interval) override;
  void add(const JobSpan& job) override;
  void add(const Usage& usage) override;

  /// Completes the file; the first thing that went wrong, if anything did.
  std::optional<Error> close();

 private:
  void event(const std::string& text);
  void name_rows();
  void draw_arrows(const Interval& interval);

  /// Where the last interval of a node ended, for the arrows to its successors.
  struct End {
    std::uint32_t job = static_cast<std::uint32_t>(-1);
    std::uint32_t unit = 0;
    ElementIndex element = 0;
    Time at;
  };

  const System& system_;
  FileReplacement replacement_;
  std::FILE* file_ = nullptr;  ///< buffers what goes to the replacement; null after an error
  bool first_ = true;
  std::uint64_t arrows_ = 0;
  std::vector<std::vector<End>> ends_;             ///< by task and node
  std::vector<std::vector<std::uint32_t>> begun_;  ///< by task and node: the last job that started
};

}  // namespace tactus
