#include "tactus/arbiter/daemon/permissions.hpp"

#include <fmt/core.h>
#include <grp.h>
#include <pwd.h>

#include <charconv>
#include <string>

#include "tactus/base/diagnostic.hpp"

namespace tactus::arbiter::daemon {
namespace {

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<uid_t> find_user(const std::string& name) {
  if (const passwd* entry = getpwnam(name.c_str())) return entry->pw_uid;
  return whole<uid_t>(name);
}

std::optional<Error> Permissions::add(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string user(text.substr(0, colon));
  const Error wrong{fmt::format(
      "{} is not USER:MIN-MAX, USER:N or USER:best-effort (USER may be *)", quote(text))};
  if (colon == std::string_view::npos || user.empty()) return wrong;
  const std::string_view range = text.substr(colon + 1);
  Range allowed;
  if (range == "best-effort") {
    allowed.any = false;
  } else {
    const std::size_t dash = range.find('-', 1);  // the first may be a sign
    const auto least = whole<std::int32_t>(range.substr(0, dash));
    const auto greatest =
        dash == std::string_view::npos ? least : whole<std::int32_t>(range.substr(dash + 1));
    if (!least || !greatest || *least > *greatest) return wrong;
    allowed = {true, *least, *greatest};
  }
  if (user == "*") {
    everybody_else_ = allowed;
    return std::nullopt;
  }
  const auto number = find_user(user);
  if (!number) return Error{"there is no user " + quote(user)};
  users_[*number] = allowed;
  return std::nullopt;
}

const Permissions::Range& Permissions::range_of(uid_t user) const {
  const auto own = users_.find(user);
  return own != users_.end() ? own->second : everybody_else_;
}

bool Permissions::allows(uid_t user, Urgency urgency) const {
  if (urgency.best_effort) return true;
  const Range& range = range_of(user);
  return range.any && urgency.priority >= range.least && urgency.priority <= range.greatest;
}

Result<gid_t> find_group(const std::string& name) {
  if (const group* entry = getgrnam(name.c_str())) return entry->gr_gid;
  if (const auto number = whole<gid_t>(name)) return *number;
  return Error{"there is no group " + quote(name)};
}

}  // namespace tactus::arbiter::daemon
