#pragma once

#include <string>
#include <string_view>

#include "tactus/base/json.hpp"
#include "tactus/base/result.hpp"

/// YAML as another way to write what JSON says. Values keep their places, so that every complaint
/// about a file names the line of the YAML text.
namespace tactus::yaml {

/// Aliases may repeat at most so many values: a few lines of YAML could say billions.
inline constexpr std::size_t kMostRepeated = 1'000'000;
/// Reading takes about 100 times the size of the text in memory.
inline constexpr std::size_t kMostText = std::size_t{16} << 20;

/// The document that a YAML text says, or where and why there is none. Plain words are read as YAML
/// 1.2 reads them: `on`, `yes` and `no` are texts, not truth values. What JSON cannot say is refused:
/// several documents, tags, keys that are no texts, numbers in other notations.
Result<json::Document> parse(std::string text);

/// Does a text look like YAML, not like JSON? After blank lines it begins with a comment (`#`), a
/// directive (`%`), a marker (`---`) or a key without quotes.
bool looks_like_yaml(std::string_view text);

/// A JSON text as YAML. Keys and texts that a YAML reader could take for something else are quoted:
/// YAML 1.1 takes `on` for a truth value.
std::string from_json(const std::string& text);

}  // namespace tactus::yaml
