#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "tactus/host/futex.hpp"

/// How a task tells those `after` it that a job of it has ended: a page that their processes share.
/// One task writes it; any number of others follow, each with its own memory of what it has taken.
///
/// Two jobs of the writer cannot end before a follower that keeps its deadline has taken the first
/// (docs/use/pipelines.md: R <= T from the nominal arrival), so that one message is enough: where the
/// next one came first, the follower was too slow, and counts what it lost.
namespace tactus::arbiter::client {

/// A message: the number of a job, the same along its path, in the high half; in the low half the
/// microseconds from the arrival of the path's first job to the end of this one, rounded up.
namespace message {

constexpr std::uint64_t pack(std::uint32_t number, std::uint32_t since_us) {
  return static_cast<std::uint64_t>(number) << 32 | since_us;
}
constexpr std::uint32_t number(std::uint64_t message) {
  return static_cast<std::uint32_t>(message >> 32);
}
constexpr std::uint32_t since_us(std::uint64_t message) {
  return static_cast<std::uint32_t>(message);
}
/// So many jobs is `b` after `a`; numbers wrap around, and half of them are before.
constexpr std::int32_t distance(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(b - a);
}
/// More than 71 minutes do not fit: the longest time that does stands for them.
constexpr std::uint32_t micros(std::int64_t from_ns, std::int64_t to_ns) {
  std::int64_t ns = 0;
  if (__builtin_sub_overflow(to_ns, from_ns, &ns)) return UINT32_MAX;
  if (ns <= 0) return 0;
  const std::int64_t up = ns / 1000 + (ns % 1000 > 0 ? 1 : 0);
  return up > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(up);
}

}  // namespace message

/// All zero is a good start.
struct PathPage {
  std::atomic<std::uint32_t> version;     ///< kVersion, or 0 where nobody has used it yet
  std::atomic<std::uint32_t> told;        ///< futex: twice the messages; odd while one is written
  std::atomic<std::uint64_t> message;     ///< the last one
  std::atomic<std::int64_t> ended_ns;     ///< of its job, CLOCK_MONOTONIC
  std::atomic<std::uint64_t> told_twice;  ///< messages about a job that was not newer: not told

  /// What its own task saw of its releases.
  std::atomic<std::uint64_t> taken, late, early, lost, doubled;
  std::atomic<std::int64_t> latest_ns;

  static constexpr std::uint32_t kVersion = 1;
};
static_assert(std::is_trivially_destructible_v<PathPage>);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The job of this number, of a path that began at `arrival_ns`, has ended now. False: a job that was
/// told before, or one before that.
inline bool tell(PathPage& page, std::uint32_t number, std::int64_t arrival_ns,
                 std::int64_t now_ns) {
  const std::uint64_t before = page.message.load();
  if (page.told.load() != 0 && message::distance(message::number(before), number) <= 0) {
    page.told_twice.fetch_add(1);
    return false;
  }
  const std::uint32_t writing = page.told.load() | 1;  // odd already: a writer died here
  page.told.store(writing);
  page.ended_ns.store(now_ns);
  page.message.store(message::pack(number, message::micros(arrival_ns, now_ns)));
  page.told.store(writing + 1 != 0 ? writing + 1 : 2);  // 0 is a page without messages
  host::futex_wake_all(page.told);
  return true;
}

/// A job that was taken.
struct Taken {
  std::uint32_t number = 0;
  std::int64_t arrival_ns = 0;  ///< of the first job of the path
  std::int64_t ended_ns = 0;    ///< the job that starts it
  std::uint64_t lost = 0;       ///< so many before it were never taken
};

/// What one follower has taken of a page. Whatever is in the page, numbers only ever grow.
class Follower {
 public:
  /// From now on: what was told before is old.
  explicit Follower(const PathPage& page) {
    if (page.told.load() == 0) return;
    last_ = page.message.load();
    number_ = message::number(last_);
  }

  /// @param now_ns later than that no job has ended
  bool take(const PathPage& page, std::int64_t now_ns, Taken& taken) {
    constexpr int kTries = 1000;  // where the writer died while it wrote, there is no message
    for (int tries = 0; tries < kTries; ++tries) {
      const std::uint32_t told = page.told.load();
      if (told == 0) return false;
      const std::uint64_t now = page.message.load();
      const std::uint32_t number = message::number(now);
      const std::int64_t ended = page.ended_ns.load();
      if (told % 2 == 1 || page.told.load() != told) continue;
      const std::int32_t further = message::distance(number_, number);
      if (now == last_) return false;
      last_ = now;
      if (further <= 0) {
        ++doubled_;
        return false;
      }
      number_ = number;
      const std::int64_t at = ended < 0 ? 0 : ended < now_ns ? ended : now_ns;
      taken = {number, at - static_cast<std::int64_t>(message::since_us(now)) * 1000, at,
               static_cast<std::uint64_t>(further) - 1};
      return true;
    }
    return false;
  }
  /// Messages about a job that had been taken.
  std::uint64_t doubled() const { return doubled_; }

 private:
  std::uint64_t last_ = message::pack(UINT32_MAX, 0);
  std::uint32_t number_ = UINT32_MAX;  ///< so that the first job of a new page is the next one
  std::uint64_t doubled_ = 0;
};

}  // namespace tactus::arbiter::client
