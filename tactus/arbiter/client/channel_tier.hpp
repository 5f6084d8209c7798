#pragma once

#include "tactus/arbiter/tier.hpp"

namespace tactus::arbiter::client {

/// The pair of functions that the preloaded library offers (preload.h).
struct ChannelFunctions {
  int (*stop)() = nullptr;
  int (*resume)() = nullptr;
};

/// Those of the preloaded library in this process; empty where the process was started without it.
ChannelFunctions find_channel_functions();

/// The tier `channel`: the process's compute channels are taken off the GPU and put back. Launches
/// of a process that is off queue up in its channels, so nothing need be held at begin.
/// @param functions must outlive the tier
Tier channel_tier(const ChannelFunctions& functions);

}  // namespace tactus::arbiter::client
