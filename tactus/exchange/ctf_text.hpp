#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::exchange {

/// One event as babeltrace2 prints it:
///
///     [1700000000.000120000] robot ros2:callback_start: { cpu_id = 1 }, { vpid = 7, vtid = 9,
///       procname = "camera" }, { callback = 0x55D0, is_intra_process = 0 }
///
/// (on one line). Numbers and texts are kept; lists and structures in it are passed over.
struct CtfEvent {
  std::int64_t at = 0;  ///< ns, since 1970 or since midnight
  bool since_1970 = false;
  std::string name;  ///< "ros2:callback_start"
  struct Field {
    std::string_view key, value;  ///< without quotes; parts of the line
  };
  std::vector<Field> fields;  ///< of all contexts and of the event, in this order

  const std::string_view* find(std::string_view key) const;
  /// A number, decimal or 0x...; addresses that do not fit are negative.
  std::optional<std::int64_t> number(std::string_view key) const;
};

/// What is wrong with a line, and in which column.
struct CtfProblem {
  std::uint32_t column = 1;
  std::string message;
};

/// Nothing if it is an event of another provider than `provider` ("ros2:"), or no event at all.
/// `event` is used again and again; its parts point into the line.
std::optional<CtfProblem> read_ctf_line(std::string_view line, std::string_view provider,
                                        CtfEvent& event);

}  // namespace tactus::exchange
