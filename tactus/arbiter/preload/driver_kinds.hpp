#pragma once

#include <cstring>
#include <tuple>

#include "tactus/arbiter/preload/automatic.hpp"

/// What calls of the driver mean for automatic segments: `around` calls `go`, with what belongs
/// before and behind it. The numbers say which argument is the stream.
namespace tactus::arbiter::preload::kinds {

/// The form of a call that the program found.
struct Form {
  bool per_thread;  ///< its default stream is one per thread
  bool newer;       ///< where a call has two forms with different arguments
};

template <std::size_t place, typename... Arguments>
auto get(Arguments... arguments) {
  return std::get<place>(std::tuple<Arguments...>(arguments...));
}

/// For calls of the preloaded library that marked segments are split around, too.
struct Plain {
  static constexpr bool kSplits = false, kPageable = false;
  static constexpr int kNewerSince = 0;
};
struct Waits : Plain {
  static constexpr bool kSplits = true;
};

/// May wait for anything.
template <typename Base>
struct WaitsForAll : Base {
  template <typename Go, typename... Arguments>
  static int around(Form, const Go& go, Arguments...) {
    automatic::may_wait();
    const int result = go();
    automatic::waited();
    return result;
  }
};
using Always = WaitsForAll<Waits>;
using MayWait = WaitsForAll<Plain>;

struct WaitForStream : Waits {
  template <typename Go>
  static int around(Form form, const Go& go, void* stream) {
    automatic::waits_for_stream({stream, form.per_thread});
    const int result = go();
    automatic::waited();
    return result;
  }
};
struct WaitForEvent : Waits {
  template <typename Go>
  static int around(Form, const Go& go, void* event) {
    automatic::waits_for_event(event);
    const int result = go();
    automatic::waited();
    return result;
  }
};
/// A copy in the default stream that returns when it is done.
struct Copy : Waits {
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, Arguments...) {
    int result = 0;
    {
      automatic::Work work({nullptr, form.per_thread});
      work.waits();
      result = go();
    }
    automatic::waited();
    return result;
  }
};
/// An asynchronous copy, which waits all the same where memory is pageable; its last argument is the
/// stream.
struct AsyncCopy : Waits {
  static constexpr bool kPageable = true;
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, bool pageable, Arguments... arguments) {
    automatic::Work work({get<sizeof...(Arguments) - 1>(arguments...), form.per_thread});
    if (pageable) work.waits();
    return go();
  }
};

template <std::size_t place>
struct Work : Plain {
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, Arguments... arguments) {
    const automatic::Work work({(void*)get<place>(arguments...), form.per_thread});
    return go();
  }
};
template <std::size_t older, std::size_t newer, int since>
struct WorkOfTwo : Plain {
  static constexpr int kNewerSince = since;
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, Arguments... arguments) {
    const automatic::Work work(
        {form.newer ? (void*)get<newer>(arguments...) : (void*)get<older>(arguments...),
         form.per_thread});
    return go();
  }
};
using CopyBatch = WorkOfTwo<8, 7, 13000>;
using CopyBatch3D = WorkOfTwo<4, 3, 13000>;
using Prefetch = WorkOfTwo<3, 4, 12020>;
struct DefaultStream : Plain {
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, Arguments...) {
    const automatic::Work work({nullptr, form.per_thread});
    return go();
  }
};

/// What may have to be loaded first is launched without a gate.
template <typename Go>
int launch(const void* code, automatic::Stream stream, const Go& go) {
  if (automatic::is_new(code)) {
    automatic::may_wait();
    return go();
  }
  const automatic::Work work(stream);
  return go();
}
/// The code is the first argument.
template <std::size_t place>
struct Launch : Plain {
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, Arguments... arguments) {
    return launch(get<0>(arguments...), {get<place>(arguments...), form.per_thread}, go);
  }
};
struct LaunchByList : Plain {
  template <typename Go>
  static int around(Form form, const Go& go, const void* list, void* code, void**, void**) {
    constexpr std::size_t kStream = 32;  // in CUlaunchConfig, behind seven numbers of 32 bits
    void* stream = nullptr;
    if (list != nullptr)
      std::memcpy(&stream, static_cast<const char*>(list) + kStream, sizeof stream);
    return launch(code, {stream, form.per_thread}, go);
  }
};
/// A function on the CPU, in the order of a stream: the segment ends before it, and what comes behind
/// it waits at the next gate.
struct HostFunction : Plain {
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, void* stream, Arguments...) {
    automatic::waits_for_stream({stream, form.per_thread});
    return go();
  }
};

struct Record : Plain {
  template <typename Go, typename... Arguments>
  static int around(Form form, const Go& go, void* event, void* stream, Arguments...) {
    const automatic::Work work({stream, form.per_thread});
    automatic::recorded(event, work);
    return go();
  }
};
struct AskStream : Plain {
  template <typename Go>
  static int around(Form form, const Go& go, void* stream) {
    automatic::asks_about_stream({stream, form.per_thread});
    const int result = go();
    automatic::waited();
    return result;
  }
};
struct AskEvent : Plain {
  template <typename Go>
  static int around(Form, const Go& go, void* event) {
    automatic::asks_about_event(event);
    const int result = go();
    automatic::waited();
    return result;
  }
};
struct EndStream : Plain {
  template <typename Go>
  static int around(Form form, const Go& go, void* stream) {
    automatic::stream_ends({stream, form.per_thread});
    return go();
  }
};
struct EndEvent : Plain {
  template <typename Go>
  static int around(Form, const Go& go, void* event) {
    automatic::event_ends(event);
    return go();
  }
};
struct BeginCapture : Plain {
  template <typename Go, typename... Arguments>
  static int around(Form, const Go& go, Arguments...) {
    automatic::capture_begins();
    const int result = go();
    if (result != 0) automatic::capture_is_over();
    return result;
  }
};
struct EndCapture : Plain {
  template <typename Go, typename... Arguments>
  static int around(Form, const Go& go, Arguments...) {
    constexpr int kIllegalState = 401;  // CUDA_ERROR_ILLEGAL_STATE: there was none
    const int result = go();
    if (result != kIllegalState) automatic::capture_is_over();
    return result;
  }
};
/// Of code or a graph: what is loaded later may have the same handle.
template <typename Base>
struct UnloadOf : Base {
  template <typename Go, typename... Arguments>
  static int around(Form, const Go& go, Arguments...) {
    automatic::may_wait();
    const int result = go();
    automatic::code_has_gone();
    return result;
  }
};
using Unload = UnloadOf<Plain>;
using UnloadModule = UnloadOf<Waits>;
template <typename Base>
struct EndContextOf : Base {
  template <typename Go, typename... Arguments>
  static int around(Form, const Go& go, Arguments...) {
    automatic::context_ends();
    const int result = go();
    automatic::context_has_ended();
    return result;
  }
};
using EndContext = EndContextOf<Plain>;
using DestroyContext = EndContextOf<Waits>;

}  // namespace tactus::arbiter::preload::kinds
