#include "tactus/cli/old_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "tactus/cli/output.hpp"

namespace tactus::cli {
namespace {

struct OldName {
  std::string_view verb, old_name, name;
};

constexpr OldName kOldNames[] = {
    {"simulate", "--horizon", "--duration"}, {"run", "--horizon", "--duration"},
    {"validate", "--horizon", "--duration"}, {"tiers", "--rounds", "--runs"},
    {"gpu", "--repeats", "--runs"},          {"advise", "--time-limit", "--stop-after"},
};

}  // namespace

void replace_old_names(std::vector<std::string>& words) {
  if (words.empty()) return;
  for (std::string& word : words) {
    if (word == "--") return;  // what follows is not ours
    const std::string_view given = std::string_view(word).substr(0, word.find('='));
    const auto* const found =
        std::find_if(std::begin(kOldNames), std::end(kOldNames), [&](const OldName& entry) {
          return entry.verb == words.front() && entry.old_name == given;
        });
    if (found == std::end(kOldNames)) continue;
    complain(
        fmt::format("tactus: note: {} is now {}; the next release no longer knows the old name",
                    found->old_name, found->name));
    word.replace(0, given.size(), found->name);
  }
}

}  // namespace tactus::cli
