#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// What a service tells the manager that started it (sd_notify of systemd, as its manual has it).
namespace tactus::host {

/// "READY=1", "STATUS=...", "WATCHDOG=1", "STOPPING=1"; several with a newline between them. Without a
/// manager nothing happens.
void tell_manager(std::string_view state);

/// How often it wants to hear "WATCHDOG=1": half of what it bears. Nothing: never.
std::optional<std::int64_t> watchdog_ns();

}  // namespace tactus::host
