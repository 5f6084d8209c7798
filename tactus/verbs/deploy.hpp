#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/deploy/files.hpp"
#include "tactus/verbs/about.hpp"
#include "tactus/verbs/start_wish.hpp"

namespace tactus::verbs {

/// Which files start this plan? They are written into a folder.
struct DeployQuestion {
  About about;
  Document plan;
  std::string output, format = "systemd", restart = "on-failure";
  std::string socket, group, programs;
  StartWish start;
  bool replace = false;
  const Fields* fields = nullptr;
};
void describe(DeployQuestion& question, Fields& is);

struct Deployed {
  decide::Edited edited;
  deploy::Launch launch;
  std::vector<decide::Condition> conditions;   ///< all that the judge of the start was asked
  std::vector<decide::Condition> broken = {};  ///< for which nothing was written
  std::optional<std::string> folder = {};      ///< none: nothing was written
  std::vector<deploy::File> files = {};

  Exit exit() const { return broken.empty() ? kYes : kNo; }
  std::string json() const;
};
Answer<Deployed> answer(const DeployQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
