#include "tactus/arbiter/tiers/channel_check.hpp"

#include <algorithm>
#include <array>

#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/socket_path.hpp"
#include "tactus/arbiter/tiers/channel_notes.hpp"

namespace tactus::arbiter::tiers {
namespace {

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
  const ChannelNotes notes(folder, driver.version, options.device);
  if (const auto kept = notes.read()) return *kept;
  const auto survey = survey_tiers(options);
  if (!survey) return survey.error();
  const TierFound& channel = survey->tiers.front();
  if (!channel.available) return Error{"the tier channel cannot be used: " + channel.reason};
  const TierCost cost = cost_of(channel);
  notes.write(cost);
  return cost;
}

std::string default_answer_folder() {
  std::array<char, 256> socket{};
  if (!default_socket_path(socket.data(), socket.size())) return {};
  const std::string path = socket.data();
  return path.substr(0, path.rfind('/'));
}

}  // namespace tactus::arbiter::tiers
