#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/decide/advise.hpp"
#include "tactus/report/advice.hpp"
#include "tactus/verbs/methods.hpp"

namespace tactus::verbs {

/// In the order of `decide::Target`.
inline constexpr std::array<std::string_view, 4> kTargets = {"tactusd", "partitions", "tables",
                                                             "any"};
/// In the order of `decide::Goal`.
inline constexpr std::array<std::string_view, 2> kGoals = {"factor", "sms"};
/// What may be searched although the file gives it.
inline constexpr std::array<std::string_view, 7> kVaried = {
    "cores", "priorities", "gpu-priorities", "offsets", "shares", "method", "sms"};

/// @pre the words are of the lists above.
struct AdviseRequest {
  std::string methods;  ///< a list; empty: what the file deploys, else all
  std::string target = "any", goal = "factor";
  std::vector<std::string> vary;
  std::uint64_t seed = 1;
  int threads = 1;
  std::chrono::seconds time_limit{60};  ///< 0: none
  std::stop_token stop;
  std::function<void(std::string_view)> progress;
};

struct Advised {
  decide::Advice advice;
  report::WayOut way_out;  ///< where nothing is proved

  Exit exit() const;
};

/// @param file what the system is called in messages
Answer<Advised> advise(const System& system, const std::string& file, const AdviseRequest& request);

}  // namespace tactus::verbs
