#pragma once

#include <string_view>

#include "tactus/cli/parser.hpp"

namespace tactus::cli {

/// Tells the parser about the verb that is asked for: telling it about all of them takes longer than
/// a small analysis. About all of them (that it does not know yet) if there is no such
/// verb, because a complaint may name any.
void add_verbs(Parser& app, int& exit_code, std::string_view asked = {});

/// Does a verb work with methods, so that the user's own can take part?
bool takes_own_methods(std::string_view verb);

}  // namespace tactus::cli
