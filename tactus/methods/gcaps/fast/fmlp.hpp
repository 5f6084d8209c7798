#pragma once

#include <span>
#include <vector>

#include "tactus/methods/gcaps/fmlp.hpp"

namespace tactus::gcaps {

/// The least solution of the equation of `Fmlp`, found sooner: jobs are counted anew only where there
/// is another one, and whoever is in the way as often as possible in any window is summed up at once.
class FastFmlp {
 public:
  void begin(const Inquiry& inquiry);
  FixedPoint window_of(std::size_t i, std::span<const Time> responses);

 private:
  /// A task that uses the GPU, as the others see it.
  struct User {
    std::size_t task, core;
    std::int64_t eta;
    Time period, jitter;    ///< of its jobs, where they are limited
    Time section, boost;    ///< the longest
    std::int64_t requests;  ///< req_x in every window, however short; or `kUnlimited`
  };
  /// Who can be in the way, how often at most, and for how long each time.
  struct Rival {
    RisingJobs jobs;
    std::int64_t eta, most;
    bool settled;  ///< `most`, however short the window is
    Time each;
    bool remote;

    /// Its requests in windows that only grow.
    std::int64_t requests(Time window) {
      if (settled) return most;
      if (jobs.rises(window)) jobs.rise(window);
      return std::min(most, checked::mul(eta, jobs.count()));
    }
  };

  User user(std::size_t x) const;
  static Rival rival(const User& x, std::int64_t most, Time each, bool remote) {
    return {RisingJobs(x.period, x.jitter), x.eta, most, x.requests >= most, each, remote};
  }
  void prepare(std::size_t i);
  Time delay(Time window);

  const TaskSet* set_ = nullptr;
  FmlpReading reading_;
  Recurrence r_;
  std::vector<User> users_;             ///< in the order of the set
  std::vector<std::uint32_t> user_of_;  ///< by task, where it uses the GPU
  // Of the task under analysis:
  std::int64_t eta_ = 0;
  std::vector<Rival> queue_;         ///< who can be before it and is not settled
  Time settled_;                     ///< the delay by those who are
  std::int64_t remote_settled_ = 0;  ///< and how many of their requests come from other cores
  std::vector<Rival> boosts_;        ///< who can be boosted over it
};

}  // namespace tactus::gcaps
