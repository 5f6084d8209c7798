#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/arbiter/tasks/own_folder.hpp"
#include "tactus/model/system.hpp"

namespace tactus::arbiter::tasks {

/// An arbiter's update timeout must be longer than this, so that a client which leaves as the file
/// says does not count as late: `runlist_update`, and `preemption_delay` for every best-effort task
/// that may be leaving; doubled, because the file may be slightly wrong.
Time least_update_timeout(const System& system);

/// An arbiter for one run: in a thread, with a socket in a folder of its own, both gone at the end.
///
///     auto arbiter = PrivateArbiter::start(options, 3);     // on CPU 3
///     connect_to((*arbiter)->socket());
class PrivateArbiter {
 public:
  /// @param options all but the socket; @param cpu to stay on, whether the options ask for it or
  /// not
  static Result<std::unique_ptr<PrivateArbiter>> start(daemon::DaemonOptions options,
                                                       std::optional<int> cpu);
  ~PrivateArbiter();
  PrivateArbiter(const PrivateArbiter&) = delete;
  PrivateArbiter& operator=(const PrivateArbiter&) = delete;

  std::string socket() const { return folder_.path() + "/arbiter.socket"; }
  /// Stops it. @return why it could not serve, if so
  std::optional<Error> end();
  /// After the end.
  const daemon::UpdateCosts& costs() const { return daemon_->costs(); }
  daemon::BoostCosts boost_costs() const { return daemon_->boost_costs(); }
  /// After the end: why the assumption of safe-arbiter did not hold; empty where it did.
  const std::string& why_not_isolated() const { return why_not_isolated_; }

 private:
  PrivateArbiter() = default;
  void serve(std::optional<int> cpu);

  OwnFolder folder_;
  std::unique_ptr<daemon::Daemon> daemon_;
  std::optional<Error> problem_;
  std::string why_not_isolated_;
  std::thread thread_;
};

}  // namespace tactus::arbiter::tasks
