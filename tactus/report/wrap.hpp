#pragma once

#include <string>
#include <string_view>

namespace tactus::report {

/// Words in lines of at most 80 columns, the first behind `head`, the others below it.
std::string wrapped(std::string_view head, std::string_view text);

}  // namespace tactus::report
