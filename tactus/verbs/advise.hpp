#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/decide/advise.hpp"
#include "tactus/report/advice.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// In the order of `decide::Target`.
inline constexpr std::array<std::string_view, 4> kTargets = {"tactusd", "partitions", "tables",
                                                             "any"};
/// In the order of `decide::Goal`.
inline constexpr std::array<std::string_view, 2> kGoals = {"factor", "sms"};
/// What may be searched although the file gives it.
inline constexpr std::array<std::string_view, 7> kVaried = {
    "cores", "priorities", "gpu-priorities", "offsets", "shares", "method", "sms"};

/// Which way to run a system leaves most room?
struct AdviseQuestion {
  About about;
  std::string method;  ///< a list; empty: what the file deploys, else all
  std::string target = "any", goal = "factor";
  std::vector<std::string> vary;
  std::uint64_t seed = 1;
  int threads = 1;
  std::int64_t stop_after = 60;  ///< s; 0: no limit
  bool systems = false;          ///< the document has the system and the plan of each option
};
void describe(AdviseQuestion& question, Fields& is);

struct Advised {
  decide::Edited edited;
  decide::Advice advice;
  report::WayOut way_out;  ///< where nothing is proved

  bool with_systems = false;

  Exit exit() const;
  std::string json() const;
};

Answer<Advised> answer(const AdviseQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
