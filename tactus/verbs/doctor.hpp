#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/deploy/checkup.hpp"
#include "tactus/verbs/about.hpp"
#include "tactus/verbs/start_wish.hpp"

namespace tactus::verbs {

/// Is this machine fit to keep what a plan promises?
struct DoctorQuestion {
  About about;
  Document plan;
  std::string root = "/", socket;
  std::optional<int> gpu_clock;
  StartWish start;
  bool running = false;
  const Fields* fields = nullptr;
};
void describe(DoctorQuestion& question, Fields& is);

struct Examined {
  deploy::Demand demand;
  std::vector<deploy::Check> checks = {};
  std::vector<decide::Condition> conditions = {};  ///< all of them, those of the machine too
  std::vector<decide::Condition> waived = {};

  Exit exit() const;
  std::string json() const;
};
Answer<Examined> answer(const DoctorQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
