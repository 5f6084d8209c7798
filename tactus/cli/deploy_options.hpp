#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/question.hpp"
#include "tactus/decide/cover.hpp"
#include "tactus/deploy/launch.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::cli {

/// What `deploy` and `doctor` must know alike: how the plan is to be started.
class DeployOptions {
 public:
  friend void describe(DeployOptions& options, Fields& is);

  verbs::Answer<deploy::Wish> wish() const;
  /// Takes what was accepted (--accept) out of what does not hold. Nothing, after a complaint, if
  /// there is no such condition or nothing to accept.
  std::optional<std::vector<decide::Condition>> waived(
      const std::vector<decide::Condition>& conditions) const;
  /// The options as they would have to be given again; nothing for those at their default.
  std::vector<std::string> words() const;

 private:
  std::string tier_ = "gate", cpus_, backend_ = "cuda";
  std::vector<std::string> accepted_;
  bool realtime_ = true;
};

/// What the plan of a file starts. @param name of the file
verbs::Answer<deploy::Launch> launch_of(const std::string& name, const System& system,
                                        const verbs::Subject& subject, const deploy::Wish& wish,
                                        const deploy::PlanFiles& files);

}  // namespace tactus::cli
