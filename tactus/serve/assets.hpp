#pragma once

#include <string_view>

/// What the build made of `web/`; the definitions are generated.
namespace tactus::serve {

/// The live page, its script and its style; empty where they could not be built
/// (`report::why_no_page` says why).
std::string_view live_page();
std::string_view live_script();
std::string_view live_style();

}  // namespace tactus::serve
