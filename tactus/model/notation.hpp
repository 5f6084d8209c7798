#pragma once

#include <string>
#include <string_view>

#include "tactus/base/json.hpp"
#include "tactus/base/result.hpp"
#include "tactus/model/reader.hpp"

namespace tactus {

/// How the text of a system is written.
enum class Notation {
  kAsItLooks,  ///< JSON, or YAML where the text cannot be JSON
  kYaml,       ///< also in its flow style, which looks like JSON
};

/// What the name of a file says: *.yaml and *.yml are YAML.
Notation notation_of(std::string_view path);

Result<json::Document> parse_text(std::string text, Notation notation);
ReadResult read_system(std::string text, Notation notation);

}  // namespace tactus
