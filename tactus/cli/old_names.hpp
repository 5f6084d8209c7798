#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

/// Options have one name for one thing. The names that some had before are understood for one more
/// release: puts the new name in the place of an old one, and says so on standard error.
void replace_old_names(std::vector<std::string>& words);

}  // namespace tactus::cli
