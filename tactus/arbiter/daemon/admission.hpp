#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <optional>

#include "tactus/arbiter/daemon/permissions.hpp"
#include "tactus/arbiter/protocol.hpp"

namespace tactus::arbiter::daemon {

/// How many connections are served at once.
struct Limits {
  std::size_t clients = 1000;
  std::size_t per_user = 256;  ///< so that one user cannot lock out the others
};

/// Who may connect, and how many of whom.
///
/// A quarter of all places is kept for users that may be real-time: users that may only be best
/// effort can fill the rest, but cannot keep real-time users out.
class Admission {
 public:
  /// @param group who may connect besides this user and root
  Admission(std::optional<gid_t> group, Limits limits) : group_(group), limits_(limits) {}

  /// kNone: it may come in. @param socket its connection
  Refusal judge(int socket, uid_t user, const Permissions& permissions) const;
  void came(uid_t user);
  void left(uid_t user);

 private:
  bool permitted(int socket, uid_t user) const;
  bool full(uid_t user, const Permissions& permissions) const;

  std::optional<gid_t> group_;
  Limits limits_;
  std::map<uid_t, std::size_t> present_;
  std::size_t all_ = 0;
};

}  // namespace tactus::arbiter::daemon
