#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace tactus::arbiter::daemon {

/// Numbers reservations, for ever.
using ReservationId = std::uint64_t;

/// What was seen of a reservation. The thread that serves counts, whoever answers reads.
struct Tally {
  std::atomic<std::uint64_t> jobs{0};       ///< whose last GPU segment was done
  std::atomic<std::uint64_t> demotions{0};  ///< of its segments
  std::atomic<std::uint64_t> between{0};    ///< its segments that no arbiter heard of
  std::atomic<std::int64_t> longest_ns{0};  ///< from an arrival to the end of the last GPU segment
};

/// To what one reservation is held, as the thread that serves needs it. Times in nanoseconds.
struct Terms {
  struct Segment {
    std::int32_t threshold = 0;
    std::int64_t length = 0;      ///< e
    std::int64_t completion = 0;  ///< F', after the arrival of its job
  };
  /// Since a departure jobs that arrive from then on are held to less.
  struct Fall {
    std::int64_t from = 0;
    std::vector<std::int64_t> completions;
  };

  pid_t process = 0;          ///< whose it is; 0: nobody has taken it up
  bool begun = true;          ///< until then its segments are those of its start-up: best effort
  std::int32_t priority = 0;  ///< of its segments until they are started
  std::int64_t period = 0;
  /// Its program need not say when a job arrives: that is at most so long before its first Submit.
  std::optional<std::int64_t> undeclared;
  std::int64_t first = 0;  ///< no job arrives before that
  /// Such a program may be inside a job already, of which nobody has seen the beginning. After a longer
  /// pause than that between two segments it is not: until then they are best effort.
  std::optional<std::int64_t> pause;
  std::vector<Segment> segments;  ///< of a job
  std::vector<Fall> falls;
  std::shared_ptr<Tally> tally = std::make_shared<Tally>();

  /// F' of a segment of a job that arrives then.
  std::int64_t completion(std::size_t segment, std::int64_t arrival) const;
};

/// Everything that is in force. It is replaced as a whole.
struct Book {
  std::int64_t notice = 0;                  ///< from a violation to the decision, at most
  std::int64_t start = 0, off = 0, on = 0;  ///< what the operations cost at most
  /// Somebody relies on it, or somebody is gone who is still counted: then nobody may have the GPU
  /// whom nothing can take off.
  bool relied_on = false;
  /// Operations and notices that took longer than this: no bound covers them.
  std::shared_ptr<std::atomic<std::uint64_t>> beyond =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::map<ReservationId, Terms> terms;
};

}  // namespace tactus::arbiter::daemon
