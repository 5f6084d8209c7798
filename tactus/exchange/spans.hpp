#pragma once

#include <string>
#include <vector>

#include "tactus/exchange/options.hpp"
#include "tactus/exchange/recording.hpp"

namespace tactus::exchange {

/// A job as a span of time of a thread.
struct JobSpan {
  std::string task;
  ThreadId by;
  std::int64_t start = 0, end = 0;
  bool whole_process = false;  ///< cut at pauses: calls of all threads of the process belong to it
};

/// The spans of all jobs, by start. `notes` says how they were found.
Result<std::vector<JobSpan>> find_spans(const Recording& recording, const ImportOptions& options,
                                        std::vector<std::string>& notes);

/// The innermost annotation around each call, but for those that are the jobs themselves; `none`
/// where there is no other. @pre the calls of the recording are sorted by start.
std::vector<std::uint32_t> innermost_annotations(const Recording& recording,
                                                 const std::vector<JobSpan>& spans,
                                                 std::uint32_t none);

}  // namespace tactus::exchange
