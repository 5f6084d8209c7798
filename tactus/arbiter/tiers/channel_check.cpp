#include "tactus/arbiter/tiers/channel_check.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/arbiter/private_folder.hpp"
#include "tactus/arbiter/socket_path.hpp"
#include "tactus/model/file.hpp"

namespace tactus::arbiter::tiers {
namespace {

/// Of this start of the machine, this driver and this GPU; empty when that cannot be told.
std::string answer_path(const std::string& folder, const std::string& driver, int device) {
  const auto boot = read_text_file("/proc/sys/kernel/random/boot_id");
  if (folder.empty() || !boot || boot->size() < 36) return {};
  return fmt::format("{}/channel-{}-{}-{}", folder, driver, device, boot->substr(0, 36));
}

/// Only what this user has written counts.
bool ours(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::int64_t mean(const std::vector<Time>& times) {
  std::int64_t sum = 0;
  for (const Time time : times) sum += time.ns();
  return times.empty() ? 0 : sum / static_cast<std::int64_t>(times.size());
}

}  // namespace

TierCost cost_of(const TierFound& tier) {
  if (!tier.timed()) return {};
  return {.take_off_max = std::max_element(tier.take_off.begin(), tier.take_off.end())->ns(),
          .take_off_mean = mean(tier.take_off),
          .put_back_max = std::max_element(tier.put_back.begin(), tier.put_back.end())->ns(),
          .put_back_mean = mean(tier.put_back),
          .samples = static_cast<std::int32_t>(tier.take_off.size())};
}

Result<TierCost> check_channel_tier(const SurveyOptions& options, const std::string& folder) {
  const preload::Driver driver = preload::loaded_driver();
  if (!driver.supported) return Error{"the tier channel cannot be used: " + driver.reason};
  const std::string path = answer_path(folder, driver.version, options.device);
  // In a folder that another user made, we can trust neither reading nor writing.
  const bool kept_safely = !path.empty() && !private_folder(folder);
  if (kept_safely && ours(path)) {
    const auto kept = read_text_file(path);
    if (const TierCost cost = preload::tier_cost_of(kept ? kept->c_str() : ""); cost.samples > 0)
      return cost;
  }
  const auto survey = survey_tiers(options);
  if (!survey) return survey.error();
  const TierFound& channel = survey->tiers.front();
  if (!channel.available) return Error{"the tier channel cannot be used: " + channel.reason};
  const TierCost cost = cost_of(channel);
  // If it cannot be kept, it is tried again.
  if (kept_safely) write_text_file(path, to_text(cost) + "\n");
  return cost;
}

std::string default_answer_folder() {
  std::array<char, 256> socket{};
  if (!default_socket_path(socket.data(), socket.size())) return {};
  const std::string path = socket.data();
  return path.substr(0, path.rfind('/'));
}

std::string to_text(const TierCost& cost) {
  return fmt::format("{} {} {} {} {}", cost.take_off_max, cost.take_off_mean, cost.put_back_max,
                     cost.put_back_mean, cost.samples);
}

}  // namespace tactus::arbiter::tiers
