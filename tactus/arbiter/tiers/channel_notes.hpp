#pragma once

#include <optional>
#include <string>

#include "tactus/arbiter/tier.hpp"

namespace tactus::arbiter::tiers {

/// What the check of the tier `channel` found, kept for later in a folder of this user: until the
/// machine is started anew, or has another driver. Nothing is read from, or written to, a folder
/// that belongs to somebody else or that others may write; nor is a note read that another wrote.
class ChannelNotes {
 public:
  /// @param folder made where it is missing; empty: nothing is kept
  ChannelNotes(const std::string& folder, const std::string& driver, int device);

  std::optional<TierCost> read() const;
  /// Where that is not possible the check is made again the next time.
  void write(const TierCost& cost) const;
  /// Empty where nothing is kept.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// As text for $TACTUS_TIER_COST and for the notes; `tier_cost_of` reads it.
std::string to_text(const TierCost& cost);

}  // namespace tactus::arbiter::tiers
