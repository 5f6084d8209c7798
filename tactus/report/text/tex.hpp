#pragma once

#include <set>
#include <string>
#include <string_view>

/// What figures for TeX have in common.
namespace tactus::report {

/// Text that TeX shows as it is: nothing in it is a command.
std::string tex_escaped(std::string_view text);

/// The name of a colour in a picture: "#0072B2" is tactus0072B2.
std::string tex_colour(std::string_view colour);

/// The lines that define these names.
std::string tex_colours(const std::set<std::string_view>& colours);

}  // namespace tactus::report
