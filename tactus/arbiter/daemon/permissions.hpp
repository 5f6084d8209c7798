#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "tactus/arbiter/urgency.hpp"
#include "tactus/base/result.hpp"

namespace tactus::arbiter::daemon {

/// Which users may ask for which priorities. Every client may be best effort.
///
///     Permissions permissions;
///     permissions.add("alice:1-50");
///     permissions.add("*:best-effort");          // all other users
class Permissions {
 public:
  /// USER:MIN-MAX, USER:N or USER:best-effort; USER is a name, a number or *.
  std::optional<Error> add(std::string_view text);
  bool allows(uid_t user, Urgency urgency) const;
  /// Is there any priority that this user may ask for?
  bool may_be_real_time(uid_t user) const { return range_of(user).any; }

 private:
  struct Range {
    bool any = true;  ///< false: best effort only
    std::int32_t least = INT32_MIN, greatest = INT32_MAX;
  };
  const Range& range_of(uid_t user) const;

  std::map<uid_t, Range> users_;
  Range everybody_else_;
};

/// The number of a user given by name or number.
std::optional<uid_t> find_user(const std::string& name);
/// The number of a group given by name or number.
Result<gid_t> find_group(const std::string& name);

}  // namespace tactus::arbiter::daemon
