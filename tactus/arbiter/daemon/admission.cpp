#include "tactus/arbiter/daemon/admission.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace tactus::arbiter::daemon {
namespace {

/// All further groups of the process at the other end.
std::vector<gid_t> groups_of_peer(int socket) {
  std::vector<gid_t> groups(64);
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0) {
      groups.resize(size / sizeof(gid_t));
      return groups;
    }
    if (errno != ERANGE) return {};
    groups.resize(size / sizeof(gid_t) + 1);  // the kernel has said how much it takes
  }
  return {};
}

}  // namespace

bool Admission::permitted(int socket, uid_t user) const {
  if (user == geteuid() || user == 0) return true;
  if (!group_) return false;
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return false;
  if (who.gid == *group_) return true;
  const std::vector<gid_t> groups = groups_of_peer(socket);
  return std::find(groups.begin(), groups.end(), *group_) != groups.end();
}

bool Admission::full(uid_t user, const Permissions& permissions) const {
  const auto own = present_.find(user);
  if (own != present_.end() && own->second >= limits_.per_user) return true;
  const std::size_t reserved = permissions.may_be_real_time(user) ? 0 : limits_.clients / 4;
  return all_ + reserved >= limits_.clients;
}

Refusal Admission::judge(int socket, uid_t user, const Permissions& permissions) const {
  if (!permitted(socket, user)) return Refusal::kNotPermitted;
  return full(user, permissions) ? Refusal::kFull : Refusal::kNone;
}

void Admission::came(uid_t user) {
  ++present_[user];
  ++all_;
}

void Admission::left(uid_t user) {
  const auto own = present_.find(user);
  if (own == present_.end()) return;
  if (--own->second == 0) present_.erase(own);
  --all_;
}

}  // namespace tactus::arbiter::daemon
