#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

/// What the last of these words can become, one candidate per line, with `:files` in front if any file
/// will do. The scripts of `tactus completion` ask this; the parser sees none of it, because the words
/// are not complete.
int complete(std::vector<std::string> words);

}  // namespace tactus::cli
