#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tactus/model/result.hpp"

namespace tactus::host {

/// Descriptors that a new process gets as its standard streams; -1: this process's own.
struct Streams {
  int in = -1, out = -1, err = -1;
};

/// A process of ours. It is killed when the object is destroyed, if it still runs.
class Child {
 public:
  Child() = default;
  /// @param environment "NAME=value" lines in addition to, or in place of, this process's
  static Result<Child> start(const std::vector<std::string>& command,
                             const std::vector<std::string>& environment = {},
                             const Streams& streams = {});
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  pid_t pid() const { return pid_; }
  /// How it ended, if it has: an exit code, or 128 + the signal.
  std::optional<int> ended();
  void terminate();
  /// Waits at most this long for the end.
  std::optional<int> wait(std::int64_t milliseconds);
  /// Waits for the end. @pre it was started
  int wait();

 private:
  pid_t pid_ = -1;
  std::optional<int> code_;
};

}  // namespace tactus::host
