#pragma once

#include <string_view>

/// What the build made of `web/`; the definitions are generated.
namespace tactus::report {

/// A page with the places {{title}} and {{data}} to fill; empty where it could not be built.
std::string_view page_template();

/// Why there is none: "npm was not found when this tactus was built".
std::string_view why_no_page();

}  // namespace tactus::report
