#pragma once

#include <string>
#include <vector>

#include "tactus/arbiter/protocol.hpp"
#include "tactus/base/result.hpp"

namespace tactus::arbiter::client {

/// The clients of the arbiter, as it reports them.
struct Snapshot {
  std::vector<Row> clients;
  Summary summary{};
  BoostSummary boost{};  ///< of an arbiter for boost
  Leaving leaving{};     ///< of an arbiter for gcaps
};

/// A connection that only observes.
class Observer {
 public:
  /// @param path empty: the default place
  static Result<Observer> open(const std::string& path);
  ~Observer();
  Observer(Observer&& other) noexcept;
  Observer& operator=(Observer&&) = delete;

  Result<Snapshot> look();
  /// The process that listens; 0 where that cannot be told.
  int arbiter() const;

 private:
  Observer() = default;
  int socket_ = -1;
};

}  // namespace tactus::arbiter::client
