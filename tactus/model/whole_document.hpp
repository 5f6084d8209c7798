#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/model/codec.hpp"
#include "tactus/model/field.hpp"

/// What the documents of all our formats have in common: the fields they begin with, how one is
/// read as a whole, and the frame of its JSON Schema.
namespace tactus {

namespace codec {

/// The version of a format that has had only one.
template <typename Document, std::int64_t kVersion>
constexpr Field<Document> version_field(std::string_view key) {
  static_assert(kVersion == 1, "the description says so");
  return {
      key,
      true,
      "Version of the format; always 1",
      [](const json::Value& value, std::string_view name, ReadContext& context, Document&) {
        std::int64_t version = 0;
        return read_integer(value, name, context, kVersion, kVersion, version);
      },
      [](json::Writer& out, std::string_view name, const System&, const Document&) {
        out.key(name).integer(kVersion);
      },
      [](json::Writer& out) { out.key("const").integer(kVersion); },
  };
}

/// `$schema`, which is read and forgotten.
template <typename Document>
constexpr Field<Document> schema_link() {
  return {
      "$schema",
      false,
      "Where an editor finds the JSON Schema of this format; ignored",
      [](const json::Value& value, std::string_view name, ReadContext& context, Document&) {
        std::string ignored;
        return Text::read(value, name, context, ignored);
      },
      [](json::Writer&, std::string_view, const System&, const Document&) {},
      [](json::Writer& out) { Text::describe(out); },
  };
}

}  // namespace codec

template <typename Document>
struct WholeDocument {
  std::optional<Document> document;  ///< nothing when there is an error
  std::vector<Diagnostic> diagnostics;
};

/// Reads a document; `read` fills it from the root.
template <typename Document, typename Read>
WholeDocument<Document> read_whole(Result<json::Document> parsed, const Read& read) {
  if (!parsed) return {std::nullopt, {parsed.error()}};
  ReadContext context(*parsed);
  WholeDocument<Document> result;
  Document document;
  read(parsed->root(), context, document);
  if (!context.failed()) result.document = std::move(document);
  result.diagnostics = context.take_diagnostics();
  return result;
}

/// Reads a document by its table.
template <typename Document>
WholeDocument<Document> read_whole(Result<json::Document> parsed) {
  return read_whole<Document>(
      std::move(parsed), [](const json::Value& root, ReadContext& context, Document& document) {
        read_object(root, context, document);
      });
}

/// A JSON Schema, with the name of its file, by which editors know it; `describe` writes the members of
/// the object.
template <typename Describe>
std::string schema_with(std::string_view kind, std::string_view title, const Describe& describe) {
  json::Writer out;
  out.begin_object();
  out.key("$id").string(std::string(kind) + ".schema.json");
  out.key("$schema").string("https://json-schema.org/draft/2020-12/schema");
  out.key("title").string(title);
  describe(out);
  out.end_object();
  return out.take();
}

/// The JSON Schema of a document, from its table.
template <typename Document>
std::string schema_of(std::string_view kind, std::string_view title) {
  return schema_with(kind, title, describe_object<Document>);
}

}  // namespace tactus
