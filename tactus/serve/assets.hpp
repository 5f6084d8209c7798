#pragma once

#include <string_view>

/// What the build made of `web/` and of openapi.json; the definitions are generated.
namespace tactus::serve {

/// The live page, its script and its style; empty where they could not be built
/// (`report::why_no_page` says why).
std::string_view live_page();
std::string_view live_script();
std::string_view live_style();

/// The description of the HTTP interface, in the form of OpenAPI 3.1.
std::string_view openapi();

}  // namespace tactus::serve
