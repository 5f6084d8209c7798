#pragma once

#include <mutex>
#include <stop_token>

#include "tactus/tactus.h"
#include "tactus/verbs/answer.hpp"

/// What accompanies a long call.
struct tactus_call {
  std::stop_source stop;
  std::mutex telling;  ///< of what follows: several threads may be at work
  void (*progress)(const char* text, void* data) = nullptr;
  void* data = nullptr;
};

namespace tactus::api {

/// The call of a caller, who may have given none, as the library uses it.
verbs::Answer<verbs::Companion> companion_of(tactus_call* call);

}  // namespace tactus::api
