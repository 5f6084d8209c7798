#include "tactus/arbiter/tiers/channel_notes.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "tactus/arbiter/preload/channel_copies.hpp"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/arbiter/private_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus::arbiter::tiers {
namespace {

/// Only what this user has written counts.
bool ours(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

ChannelNotes::ChannelNotes(const std::string& folder, const std::string& driver, int device) {
  const auto boot = read_text_file("/proc/sys/kernel/random/boot_id");
  if (folder.empty() || !boot || boot->size() < 36 || private_folder(folder)) return;
  // With copies it is another tier, which takes longer.
  const bool copies = preload::takes_copies_off(std::getenv(preload::kChannelCopiesVariable));
  path_ = fmt::format("{}/channel{}-{}-{}-{}", folder, copies ? "-copies" : "", driver, device,
                      boot->substr(0, 36));
}

std::optional<TierCost> ChannelNotes::read() const {
  if (path_.empty() || !ours(path_)) return std::nullopt;
  const auto kept = read_text_file(path_);
  const TierCost cost = preload::tier_cost_of(kept ? kept->c_str() : "");
  return cost.samples > 0 ? std::optional(cost) : std::nullopt;
}

void ChannelNotes::write(const TierCost& cost) const {
  if (!path_.empty()) write_text_file(path_, to_text(cost) + "\n");
}

std::string to_text(const TierCost& cost) {
  return fmt::format("{} {} {} {} {}", cost.take_off_max, cost.take_off_mean, cost.put_back_max,
                     cost.put_back_mean, cost.samples);
}

}  // namespace tactus::arbiter::tiers
