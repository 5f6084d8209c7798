#pragma once

#include "tactus/arbiter/client/process_tier.hpp"
#include "tactus/model/result.hpp"

namespace tactus::arbiter::exec {

/// Continues stopped processes when whoever stopped them is killed: a process of its own that
/// sleeps until this one is gone, then looks at what is left in `stopped()`. Without it a SIGKILL
/// of `tactus exec` at the wrong moment would leave its command stopped for ever.
///
/// Make it before becoming a subreaper: it must not be among the descendants to be stopped.
class Guardian {
 public:
  static Result<Guardian> start();
  ~Guardian();
  Guardian(Guardian&& other) noexcept;
  Guardian& operator=(Guardian&&) = delete;

  client::StoppedProcesses& stopped() const { return *stopped_; }

 private:
  Guardian() = default;
  client::StoppedProcesses* stopped_ = nullptr;
  int alive_ = -1;  ///< the end of a pipe that closes with this process
};

}  // namespace tactus::arbiter::exec
