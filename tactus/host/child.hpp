#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"

/// The one place where processes are made.
namespace tactus::host {

/// Descriptors that a new process gets as its standard streams; -1: this process's own.
struct Streams {
  int in = -1, out = -1, err = -1;
};

/// Which processes get the signals of a terminal, and end together.
enum class Group {
  kOurs,
  kOwn,  ///< it and what it starts are a group, which `kill_group` ends
};

/// A process of ours. It is killed when the object is destroyed, if it still runs.
class Child {
 public:
  Child() = default;
  /// Another program. @param environment "NAME=value" lines in addition to, or in place of, this
  /// process's
  static Result<Child> start(const std::vector<std::string>& command,
                             const std::vector<std::string>& environment = {},
                             const Streams& streams = {}, Group group = Group::kOurs);
  /// A copy of this process, which does `work` and ends with what that returns; nothing of the
  /// caller runs in it. Of this process's threads it has only the calling one: what another holds
  /// locked at this moment (the heap, too) stays locked in it.
  static Result<Child> fork(const std::function<int()>& work);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  pid_t pid() const { return pid_; }
  /// How it ended, if it has: an exit code, or 128 + the signal.
  std::optional<int> ended();
  /// The same; and whatever else has ended as a child of this process is waited for too. For a
  /// process that others' children may fall to (PR_SET_CHILD_SUBREAPER).
  std::optional<int> ended_among_all();
  void terminate();
  /// Kills it and everything that it has started and that still runs. @pre started with Group::kOwn
  void kill_group();
  /// Waits at most this long for the end.
  std::optional<int> wait(std::int64_t milliseconds);
  /// Waits for the end. @pre it was started
  int wait();

 private:
  void note(int status);

  pid_t pid_ = -1;
  std::optional<int> code_;
};

/// A copy of this process that is nobody's child: it does `work`, also after the end of this one,
/// and nobody waits for it. See `Child::fork`.
std::optional<Error> fork_apart(const std::function<void()>& work);

/// This process goes on as another program. @return why it does not (errno)
int become(const std::vector<std::string>& command);

}  // namespace tactus::host
