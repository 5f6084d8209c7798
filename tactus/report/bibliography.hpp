#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tactus/methods/method.hpp"

namespace tactus::report {

/// BibTeX of the papers behind the methods, each once, and of Tactus itself.
std::string bibtex(std::span<const Method* const> methods, std::string_view version);

}  // namespace tactus::report
