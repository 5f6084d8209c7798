#pragma once

#include <string_view>

namespace tactus::gcaps {

/// What the CPU does during a GPU segment; fixed by the method's id.
enum class Mode { kSuspend, kBusy };

constexpr std::string_view to_string(Mode mode) { return mode == Mode::kBusy ? "busy" : "suspend"; }

}  // namespace tactus::gcaps
