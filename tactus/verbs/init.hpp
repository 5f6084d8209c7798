#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// A first system file, from words or from what there is already.
struct InitQuestion {
  std::vector<std::string> tasks, chains;  ///< in words (tactus/decide/spoken_task.hpp)
  std::vector<std::string> from;           ///< system files, or sources of `import`
  std::string name;
  std::int64_t cores = 0, sms = 0;  ///< 0: what `from` has, else 4 and 1
  std::string costs;                ///< a profile of the GPU; empty: none
};
void describe(InitQuestion& question, Fields& is);

struct Initial {
  System system;
  std::string text;                ///< the file, with comments
  std::vector<std::string> notes;  ///< what was assumed

  static Exit exit() { return kYes; }
  std::string json() const;
};
Answer<Initial> answer(const InitQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
