#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/exchange/bytes.hpp"

namespace tactus::exchange {

inline constexpr int kMicroseconds = 3;  ///< the unit of its times, a power of ten of ns

/// One event of a trace in the format of chrome://tracing. Numbers stay text, so that no time passes
/// through a double.
struct ChromeEvent {
  std::uint64_t place = 0;  ///< counted from 1
  std::string phase, category, name;
  std::string process, thread, start, duration, id;
  /// The members of `args` that are plain values; lists are joined by commas.
  std::map<std::string, std::string, std::less<>> args;

  const std::string* arg(std::string_view key) const {
    const auto found = args.find(key);
    return found == args.end() ? nullptr : &found->second;
  }
  /// An event is used again and again, so that its texts keep their memory.
  void clear();
};

/// What a trace says of itself, outside of its events.
struct ChromeFacts {
  std::map<std::string, std::string, std::less<>> values;
  std::vector<std::map<std::string, std::string, std::less<>>> devices;  ///< deviceProperties
};

/// Reads a trace as a stream: memory does not grow with it. Each event goes to `take`, which can
/// refuse it with a line; facts are complete only at the end, because they may stand behind the
/// events. The error is one line.
Result<ChromeFacts> read_chrome_events(
    Bytes& bytes, const std::function<std::optional<Error>(const ChromeEvent&)>& take);

}  // namespace tactus::exchange
