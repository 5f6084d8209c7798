#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tactus/cli/parser.hpp"

namespace tactus::cli {

/// Tells the parser about the verb that the words begin with: telling it about all of them takes
/// longer than a small analysis. About all of them (that it does not know yet) if there is no such
/// verb, because a complaint may name any.
void add_verbs(Parser& app, int& exit_code, std::span<const std::string> words = {});

/// "reproduce" of `tactus lab reproduce ...`; empty if there is no such verb.
std::string_view verb_in(std::span<const std::string> words);

/// Does their verb work with methods, so that the user's own can take part?
bool takes_own_methods(std::span<const std::string> words);

}  // namespace tactus::cli
