#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tactus/base/result.hpp"

namespace tactus::arbiter::daemon {

/// Writes the arbiter's log, on its own thread: a slow or full disk, a size limit or a pipe without
/// a reader can cost lines of the log, but never delay a decision.
///
/// What cannot be written is kept up to a limit, then dropped and counted; as soon as something can
/// be written again, a line {"event": "dropped", "lines": N} says how much is missing.
class LogWriter {
 public:
  static constexpr std::size_t kMostWaiting = 4 << 20;  ///< bytes

  /// @param most_bytes of the file: before it would be larger, it is moved to FILE.1, and a new one
  ///        begins with the line "rotated"; where it cannot be moved, lines are dropped
  static Result<std::unique_ptr<LogWriter>> open(const std::string& path, std::uint64_t most_bytes);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Takes whole lines over. False: not now, ask again; it never waits.
  bool take(const std::string& text, std::uint64_t lines);
  /// From any thread or signal handler.
  void reopen();

 private:
  /// What the thread needs; it may outlive the writer, when it hangs in a write for ever.
  struct Shared {
    std::string path;
    int descriptor = -1;
    std::uint64_t most_bytes = 0;
    bool told_full = false;  ///< that it is full and cannot be moved
    bool half_line = false;  ///< the last write ended within one
    std::mutex mutex;        ///< of the two below; never held during a write
    std::string waiting;
    std::uint64_t waiting_lines = 0;
    std::atomic<std::uint64_t> dropped = 0;
    std::atomic<std::uint32_t> wake = 0;  ///< futex: something is to be done
    std::atomic<bool> reopen = false, over = false;
    std::atomic<std::uint32_t> ended = 0;  ///< futex
  };

  LogWriter() = default;
  static void serve(const std::shared_ptr<Shared>& shared);
  /// Begins a new file when `more` bytes would be too many for this one. False: it cannot.
  static bool has_room(Shared& shared, std::size_t more);
  static void write_out(Shared& shared, const std::string& text, std::uint64_t lines);

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::thread thread_;
};

}  // namespace tactus::arbiter::daemon
