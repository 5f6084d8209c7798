#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tactus/arbiter/client/diary_page.hpp"
#include "tactus/arbiter/client/task_file.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus::watch {

/// Writes down the jobs and nodes of a plan that this process plays in real time, as programs do
/// theirs: a diary for each task.
class DiarySink final : public trace::TraceSink {
 public:
  /// @param folder where; @param next who is told, too, or null
  DiarySink(const System& system, const std::string& folder, trace::TraceSink* next);

  void add(const trace::Interval& interval) override;
  void add(const trace::JobSpan& job) override;
  void add(const trace::Usage& usage) override;

 private:
  struct Span {
    Time start, end;
  };
  struct Diary {
    arbiter::client::TaskFile file;
    arbiter::client::DiaryPage* page = nullptr;  ///< null: it could not be made
    std::map<NodeIndex, Span> nodes;             ///< of the job that is live
  };
  /// When the clock of the run was 0: never later than what was seen of it.
  std::int64_t at(Time time) const { return epoch_ns_ + time.ns(); }

  const System& system_;
  trace::TraceSink* next_;
  std::vector<std::unique_ptr<Diary>> all_;  ///< by task
  std::int64_t epoch_ns_ = INT64_MAX;
};

}  // namespace tactus::watch
