#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tactus/base/metrics.hpp"
#include "tactus/serve/edited_file.hpp"
#include "tactus/verbs/watch.hpp"

namespace tactus::serve {

/// `tactus watch` of the file that the server was started with, from the first time that somebody asks
/// for it; anew when the file has changed.
class LiveWatch {
 public:
  LiveWatch(const EditedFile& file, std::string socket);

  /// As `tactus watch --json`.
  verbs::Answer<std::string> document();
  /// With those of the arbiter, also where there is no file to watch.
  void write_metrics(Metrics& metrics);

 private:
  /// @pre mutex_ is held
  verbs::Answer<watch::Watcher*> watcher();
  void step(const std::stop_token& stop);

  const EditedFile& file_;
  std::string socket_, revision_;
  std::mutex mutex_;
  std::unique_ptr<watch::Watcher> watcher_;
  std::jthread stepper_;  ///< last: it uses all of the above
};

}  // namespace tactus::serve
