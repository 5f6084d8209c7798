#pragma once

#include <string>

namespace tactus::serve {

/// The description of the HTTP interface, in the form of OpenAPI 3.1: made from the addresses
/// (`Routes::all`) and from the questions of the verbs.
std::string openapi();

}  // namespace tactus::serve
