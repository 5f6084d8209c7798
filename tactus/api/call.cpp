#include "tactus/api/call.hpp"

#include <memory>
#include <new>
#include <string>

#include "tactus/api/handles.hpp"

namespace tactus::api {

using Calls = Handles<tactus_call>;

verbs::Answer<verbs::Companion> companion_of(tactus_call* call) {
  if (call == nullptr) return verbs::Companion{};
  if (!Calls::knows(call)) {
    return verbs::NoAnswer::bad_input("this is not a tactus_call, or it was freed");
  }
  return verbs::Companion{call->stop.get_token(), [call](std::string_view text) {
                            const std::lock_guard guard(call->telling);
                            if (call->progress == nullptr) return;
                            call->progress(std::string(text).c_str(), call->data);
                          }};
}

}  // namespace tactus::api

using tactus::api::Calls;

tactus_call* tactus_call_new(void) {
  try {
    auto call = std::make_unique<tactus_call>();
    Calls::add(call.get());
    return call.release();
  } catch (...) {
    return nullptr;
  }
}

void tactus_call_on_progress(tactus_call* call, void (*progress)(const char* text, void* data),
                             void* data) {
  if (!Calls::knows(call)) return;
  const std::lock_guard guard(call->telling);
  call->progress = progress;
  call->data = data;
}

void tactus_call_cancel(tactus_call* call) {
  if (Calls::knows(call)) call->stop.request_stop();
}

int tactus_call_is_cancelled(const tactus_call* call) {
  return Calls::knows(call) && call->stop.stop_requested() ? 1 : 0;
}

void tactus_call_free(tactus_call* call) {
  if (Calls::remove(call)) delete call;
}
