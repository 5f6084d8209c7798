#include "tactus/model/reader.hpp"

#include "tactus/base/file.hpp"
#include "tactus/base/yaml.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/notation.hpp"
#include "tactus/model/whole_document.hpp"

namespace tactus {

namespace {

ReadResult read_document(Result<json::Document> parsed) {
  auto [system, diagnostics] = read_whole<System>(std::move(parsed));
  return {std::move(system), std::move(diagnostics)};
}

}  // namespace

Notation notation_of(std::string_view path) {
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  return yaml ? Notation::kYaml : Notation::kAsItLooks;
}

Result<json::Document> parse_text(std::string text, Notation notation) {
  const bool yaml = notation == Notation::kYaml || yaml::looks_like_yaml(text);
  return yaml ? yaml::parse(std::move(text)) : json::Document::parse(std::move(text));
}

ReadResult read_system(std::string text, Notation notation) {
  return read_document(parse_text(std::move(text), notation));
}

ReadResult read_system(std::string text) {
  return read_system(std::move(text), Notation::kAsItLooks);
}

ReadResult check_system(System system) {
  ReadContext context(system);
  check_object(context, system, {});
  ReadResult result;
  result.diagnostics = context.take_diagnostics();
  if (!context.failed()) result.system = std::move(system);
  return result;
}

Result<ReadResult> load_system(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  return read_system(std::move(*text), notation_of(path));
}

}  // namespace tactus
