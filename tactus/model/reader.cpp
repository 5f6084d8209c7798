#include "tactus/model/reader.hpp"

#include "tactus/model/file.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/yaml.hpp"

namespace tactus {

namespace {

ReadResult read_document(std::variant<json::Document, Diagnostic> parsed) {
  if (const auto* problem = std::get_if<Diagnostic>(&parsed)) return {std::nullopt, {*problem}};

  const auto& document = std::get<json::Document>(parsed);
  ReadContext context(document);
  ReadResult result;
  System system;
  read_object(document.root(), context, system);
  if (!context.failed()) result.system = std::move(system);
  result.diagnostics = context.take_diagnostics();
  return result;
}

}  // namespace

ReadResult read_system(std::string text) {
  return read_document(yaml::looks_like_yaml(text) ? yaml::parse(std::move(text))
                                                   : json::Document::parse(std::move(text)));
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
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  return yaml ? read_document(yaml::parse(std::move(*text))) : read_system(std::move(*text));
}

}  // namespace tactus
