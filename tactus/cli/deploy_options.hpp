#pragma once

#include <optional>
#include <string>

#include "tactus/cli/parser.hpp"
#include "tactus/cli/subject.hpp"
#include "tactus/deploy/launch.hpp"

namespace tactus::cli {

/// What `deploy` and `doctor` must know alike: how the plan is to be started.
class DeployOptions {
 public:
  void add_to(Parser& verb);

  /// Nothing, after a complaint, if the options contradict each other.
  std::optional<deploy::Wish> wish() const;
  /// The options as they would have to be given again; nothing for those at their default.
  std::vector<std::string> words() const;

 private:
  std::string tier_ = "gate", cpus_, backend_ = "cuda";
  bool no_realtime_ = false;
};

/// What the plan of a file starts; or, after all problems have been told, what the process returns.
std::variant<deploy::Launch, Exit> launch_or_exit(const std::string& file, const System& system,
                                                  const Subject& subject, const deploy::Wish& wish,
                                                  const deploy::PlanFiles& files);

}  // namespace tactus::cli
