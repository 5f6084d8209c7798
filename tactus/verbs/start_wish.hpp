#pragma once

#include <string>
#include <vector>

#include "tactus/base/question.hpp"
#include "tactus/decide/cover.hpp"
#include "tactus/deploy/launch.hpp"
#include "tactus/verbs/subject.hpp"

namespace tactus::verbs {

/// What `deploy` and `doctor` must know alike: how the plan is to be started.
class StartWish {
 public:
  friend void describe(StartWish& wish, Fields& is);

  Answer<deploy::Wish> wish() const;
  /// Of the conditions those that do not hold and were accepted (--accept).
  Answer<std::vector<decide::Condition>> waived(
      const std::vector<decide::Condition>& conditions) const;
  /// The options as they would have to be given again; nothing for those at their default.
  std::vector<std::string> words() const;

 private:
  std::string tier_ = "gate", cpus_, backend_ = "cuda";
  std::vector<std::string> accepted_;
  bool realtime_ = true;
};

/// What the plan of a file starts. @param name of the file
Answer<deploy::Launch> launch_of(const std::string& name, const System& system,
                                 const Subject& subject, const deploy::Wish& wish,
                                 const deploy::PlanFiles& files);

}  // namespace tactus::verbs
