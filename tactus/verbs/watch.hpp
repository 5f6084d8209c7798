#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tactus/verbs/about.hpp"
#include "tactus/verbs/subject.hpp"
#include "tactus/watch/watcher.hpp"

namespace tactus::verbs {

/// What is seen of a system that runs, against what its proof assumes.
struct WatchQuestion {
  About about;
  MethodChoice choice;
  Document plan;
  std::string socket, folder, duration, exec;
  bool until_outside = false;
  // Not for who asks: who else is told.
  std::function<void(const watch::Watcher&)> look;       ///< every now and then
  std::function<void(const std::string& line)> outside;  ///< something has left the model
  const Fields* fields = nullptr;                        ///< of this question
};
void describe(WatchQuestion& question, Fields& is);

/// A watcher of the plan in a document, of the plan that the named method makes, or of what the file
/// deploys.
Answer<std::unique_ptr<watch::Watcher>> watcher_of(const WatchQuestion& question,
                                                   const Companion& companion);

struct Watched {
  std::unique_ptr<watch::Watcher> watcher;

  /// kUnknown: no job was seen.
  Exit exit() const;
};
/// Returns when it is stopped, after the duration, or when something has left the model.
Answer<Watched> answer(const WatchQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
