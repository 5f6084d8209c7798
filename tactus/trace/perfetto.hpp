#pragma once

#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/file.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus::trace {

/// Writes a trace as Chrome JSON, which Perfetto and chrome://tracing open: a row for each core, SM
/// and copy engine, one row per task with its jobs, arrows for precedence and for the values of chains,
/// marks where a job is released after its arrival, counters for units in use.
/// Slices of one row never overlap, as those programs require: slices that share a unit get extra
/// rows. Memory does not grow with the trace, because it is streamed. `close` puts the whole file
/// in its place.
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
  void draw_arrows(const Interval& interval, std::size_t row);
  void name_row(std::size_t pid, std::size_t tid, std::string_view name, std::size_t place);

  /// A row, and until when it is taken.
  struct Row {
    std::size_t tid = 0;
    Time taken_until;
  };
  struct Rows {
    std::vector<Row> all;
    Time free_from;  ///< before that none of them is
  };
  /// The row for a slice on the `place`-th row of a process, or on a further row beside it. @pre
  /// slices come in the order of their ends.
  std::size_t row_for(std::size_t pid, std::size_t place, Time start, Time end);

  /// Where the last interval of a node ended, for the arrows to its successors.
  struct End {
    std::uint32_t job = static_cast<std::uint32_t>(-1);
    std::size_t row = 0;
    ElementIndex element = 0;
    Time at;
  };

  void draw_values(const JobSpan& job, std::size_t row);
  /// When a job of a task in a chain read, and what it wrote.
  struct Write {
    Time at;
    std::size_t row = 0;
  };
  struct Register {
    std::vector<TaskIndex> read;  ///< the tasks before it, in all chains
    bool is_read = false;
    std::uint32_t job = static_cast<std::uint32_t>(-1);
    Time begun;                 ///< of that job
    std::deque<Write> written;  ///< the last ones
  };

  const System& system_;
  std::vector<Register> registers_;  ///< by task
  FileReplacement replacement_;
  std::FILE* file_ = nullptr;  ///< buffers what goes to the replacement; null after an error
  bool first_ = true;
  std::uint64_t arrows_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, Rows> rows_;  ///< by process and place
  std::vector<std::size_t> next_row_;                         ///< by process
  std::vector<std::vector<End>> ends_;                        ///< by task and node
  std::vector<std::vector<std::uint32_t>> begun_;  ///< by task and node: the last job that started
};

}  // namespace tactus::trace
