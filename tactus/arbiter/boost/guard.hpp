#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// What a reservation is held to: when its jobs count as arrived, how long its GPU segments may take,
/// and by when each must be done. Pure: it is told the time (tactus/reserve/theory.md).
namespace tactus::arbiter::boost {

/// What was admitted. Times in nanoseconds.
struct Held {
  std::int64_t period = 0;
  std::vector<std::int64_t> lengths;  ///< e, by GPU segment of a job
  /// Its program does not say when a job arrives: that is at most so long before its first Submit.
  std::optional<std::int64_t> undeclared;
  std::int64_t first = 0;  ///< no job arrives before that
};

/// A segment that was submitted.
struct Permit {
  bool demoted = false;     ///< it is not one of those that were admitted
  std::int64_t from = 0;    ///< not before; until then it is kept back
  std::int64_t length = 0;  ///< time on the GPU, in all
  std::int64_t arrival = 0;
  std::size_t index = 0;  ///< of the job, from 0
};

class Guard {
 public:
  explicit Guard(Held held) : held_(std::move(held)) {}

  /// A job arrives, or arrived at `claimed`. Any claim makes a legal arrival: a period after the last.
  void arrive(std::int64_t claimed, std::int64_t now);
  /// The job is over before all of its segments.
  void end();
  /// @param over so long after its arrival the last segment of a job is done
  Permit submit(std::int64_t now, std::int64_t over = INT64_MAX);

  /// The arrival of the job that counts; none: there is no job.
  std::optional<std::int64_t> arrival() const {
    return open_ ? std::optional(arrival_) : std::nullopt;
  }

 private:
  void begin(std::int64_t at);

  Held held_;
  std::int64_t arrival_ = 0;
  bool open_ = false, any_ = false;
  std::size_t next_ = 0;
};

/// Must a segment with this completion time, F' after its arrival, be demoted now to be off in time?
/// It may be on up to then, and is put on only if that can end by then.
std::int64_t on_before(std::int64_t arrival, std::int64_t completion, std::int64_t notice,
                       std::int64_t off);

}  // namespace tactus::arbiter::boost
