#pragma once

#include <string>
#include <string_view>

namespace tactus::exchange {

/// The SHA-256 of some bytes (FIPS 180-4), as 64 hexadecimal digits: what `sha256sum` prints.
std::string sha256(std::string_view bytes);

}  // namespace tactus::exchange
