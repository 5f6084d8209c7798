#pragma once

#include <string>

namespace tactus {

/// A word as a shell must see it, ready to be pasted.
std::string shell_word(const std::string& text);

}  // namespace tactus
