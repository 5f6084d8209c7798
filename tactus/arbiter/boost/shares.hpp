#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "tactus/arbiter/boost/decide.hpp"

namespace tactus::arbiter::boost {

/// Whose turn it is among best-effort programs, some of which have a share of the time that they have
/// together, in percent. Those without one take turns in what is left, as one. What a program does not
/// use the others get.
///
/// Earliest eligible virtual deadline first (Stoica and Abdel-Wahab, 1995): as long as a program wants
/// the GPU, what it got and what its share gives it since it came differ by less than a slice.
class Shares {
 public:
  explicit Shares(std::int64_t slice_ns) : slice_ns_(slice_ns) {}

  /// Can this much be promised, beside the others?
  bool fits(int percent) const { return percent <= Urgency::kMostShare - promised_; }
  /// It wants the GPU now. @param percent 0: it has no share. @pre fits(percent)
  void join(ClientId client, int percent);
  void leave(ClientId client);
  /// It had the GPU for so long.
  void used(ClientId client, std::int64_t ns);

  /// Has anybody a share? Without, the rule of `decide` is enough: first come, first served.
  bool any() const { return promised_ > 0; }
  int of(ClientId client) const;
  /// Whose turn it is, of those that wait. @param waiting in the order in which they came
  std::optional<ClientId> next(std::span<const ClientId> waiting) const;

 private:
  /// One with a share, or all that have none.
  struct Account {
    int percent = 0;
    std::int64_t eligible = 0;  ///< virtual time at which it has got what it should have by then
  };
  const Account& account_of(ClientId client) const;
  int present() const;
  void resize_rest(int percent);

  std::int64_t slice_ns_ = 0;
  std::map<ClientId, int> clients_;  ///< those that want the GPU, and their shares
  std::map<ClientId, Account> shared_;
  Account rest_{100, 0};
  int without_ = 0;   ///< how many have no share
  int promised_ = 0;  ///< of those that want the GPU
  std::int64_t virtual_now_ = 0;
};

}  // namespace tactus::arbiter::boost
