#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"

/// One file that shows documents in a browser (web/).
namespace tactus::report {

/// JSON that may stand in a script element: nothing in it ends the element or begins a comment, and
/// it still means the same.
std::string script_safe(std::string_view json);

/// The page with a joined document (joined.hpp) in it. @pre there is a page template
std::string page_with(std::string_view title, std::string_view json);

/// Prints a page to a PDF file with a headless browser; an error if there is none, or if it fails.
std::optional<Error> print_page(std::string_view page, const std::string& path);

/// The first browser that can print and is installed; nothing where there is none.
std::optional<std::string> find_browser();

}  // namespace tactus::report
