#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/model/result.hpp"

namespace tactus {

/// The largest file that is read, in bytes.
inline constexpr std::size_t kMaxFileBytes = std::size_t{512} << 20;

/// The contents of a file, or of standard input when `path` is "-".
Result<std::string> read_text_file(const std::string& path);

/// Replaces a file as a whole: writes beside it, then renames, so that a full disk or an interrupt
/// leaves the old file or the new one, never half of it. Devices and pipes are written in place.
std::optional<Error> write_text_file(const std::string& path, std::string_view text);

}  // namespace tactus
