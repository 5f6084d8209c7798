#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/question.hpp"
#include "tactus/runtime/measure/measure_nodes.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::verbs {

/// How long does work take beside what may disturb it?
struct MeasureQuestion {
  std::optional<std::string>
      units;  ///< else one step of the machine's partitions, two, four ... and all
  int runs = 200;
  std::string enemies = "all";
  bool pairs = true;
  int margin = 20;
  bool bcet = false, noisy_ok = false;
  std::vector<std::string> nodes;
  bool samples = false;  ///< in the document
};
void describe(MeasureQuestion& question, Fields& is);

/// Of the nodes of a system. @param options says where, and who may stop it
Answer<runtime::MeasuredNodes> measure(const System& system, const runtime::Workload& workload,
                                       const MeasureQuestion& question,
                                       runtime::MeasureOptions& options);

}  // namespace tactus::verbs
