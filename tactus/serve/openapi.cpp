#include "tactus/serve/openapi.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "tactus/base/json.hpp"
#include "tactus/base/json_copy.hpp"
#include "tactus/base/question_json.hpp"
#include "tactus/serve/questions.hpp"
#include "tactus/serve/routes.hpp"

namespace tactus::serve {
namespace {

using json::Writer;

constexpr const char* kAbout =
    "The HTTP interface of `tactus serve`. Questions are those of the C interface "
    "(docs/inside/c-interface.md), with the same requests and documents. Every address below /api/ "
    "needs the token that `tactus serve` prints. No request names a file. Bodies hold at most 8 "
    "MiB; "
    "a connection serves one request.";

/// What answers are made of.
constexpr const char* kComponents = R"({
  "securitySchemes": { "token": { "type": "apiKey", "in": "header", "name": "X-Tactus-Token",
    "description": "Or as `token` in the query of the address" } },
  "responses": { "Refused": { "description": "Why it was refused", "content": { "application/json": {
    "schema": { "type": "object", "required": ["error"],
      "properties": { "error": { "type": "string" } } } } } } },
  "schemas": {
    "Problem": { "type": "object", "required": ["severity", "message"], "properties": {
      "severity": { "enum": ["error", "warning"] }, "message": { "type": "string" },
      "document": { "type": "string" }, "line": { "type": "integer" },
      "column": { "type": "integer" }, "pointer": { "type": "string" } } },
    "Answer": { "type": "object", "required": ["tactus", "status", "problems", "document"],
      "properties": {
        "tactus": { "const": 1 },
        "status": { "enum": [0, 1, 2, 3],
          "description": "As the exit codes of the program: yes, no, bad input, unknown; a question whose time (30 s) is up has 3" },
        "problems": { "type": "array", "items": { "$ref": "#/components/schemas/Problem" } },
        "document": { "type": ["object", "null"] },
        "trace": { "type": "object",
          "description": "Of at most 200000 slices; a longer run ends there" } } },
    "Job": { "type": "object",
      "required": ["job", "question", "state", "stopped", "progress", "milliseconds"],
      "properties": { "job": { "type": "integer" }, "question": { "type": "string" },
        "state": { "enum": ["running", "done"] }, "stopped": { "type": "boolean" },
        "progress": { "type": "string" }, "milliseconds": { "type": "integer" },
        "answer": { "$ref": "#/components/schemas/Answer" } } },
    "Started": { "type": "object", "required": ["job"],
      "properties": { "job": { "type": "integer" } } },
    "Saved": { "type": "object", "required": ["revision"],
      "properties": { "revision": { "type": "string" } } },
    "Schema": { "type": "object" },
    "File": { "type": "object", "required": ["name", "watch"],
      "properties": { "name": { "type": ["string", "null"] }, "watch": { "type": "boolean" },
        "revision": { "type": "string" }, "text": { "type": "string" } } } } })";

void write_content(Writer& out, std::string_view type, std::string_view schema) {
  out.key("content").begin_object().key(type).begin_object().key("schema").begin_object();
  if (schema.empty()) {
    out.key("type").string("string");
  } else {
    out.key("$ref").string(fmt::format("#/components/schemas/{}", schema));
  }
  out.end_object().end_object().end_object();
}

void write_responses(Writer& out, const Route& route) {
  const bool api = route.path.starts_with("/api/");
  out.key("responses").begin_object();
  out.key(std::to_string(route.status)).begin_object();
  out.key("description").string(api ? "The answer" : "The file");
  write_content(out, api ? "application/json" : route.answer, api ? route.answer : "");
  out.end_object();
  std::vector<int> refusals = {403};
  if (api) refusals.insert(refusals.end(), {400, 401});
  if (route.method == "POST") refusals.insert(refusals.end(), {413, 415});
  refusals.insert(refusals.end(), route.refusals.begin(), route.refusals.end());
  std::sort(refusals.begin(), refusals.end());
  for (const int status : refusals) {
    if (status == 0) continue;
    out.key(std::to_string(status)).begin_object();
    if (status == 304) {
      out.key("description").string("It has not changed");
    } else {
      out.key("$ref").string("#/components/responses/Refused");
    }
    out.end_object();
  }
  out.end_object();
}

/// "{id}" and "{question}" of an address.
void write_parameters(Writer& out, std::string_view path) {
  const bool job = path.ends_with("{id}");
  if (!job && !path.ends_with("{question}")) return;
  out.key("parameters").begin_array().begin_object();
  out.key("name").string(job ? "id" : "question").key("in").string("path");
  out.key("required").boolean(true).key("schema").begin_object();
  if (job) {
    out.key("type").string("integer").key("minimum").integer(1);
  } else {
    out.key("enum").begin_array();
    for (const Question& question : questions()) out.string(question.name);
    out.end_array();
  }
  out.end_object().end_object().end_array();
}

void write_body(Writer& out, std::string_view path) {
  out.key("requestBody").begin_object().key("required").boolean(true);
  out.key("content").begin_object().key("application/json").begin_object().key("schema");
  write_body_schema(out, path.substr(path.rfind('/') + 1));
  out.end_object().end_object().end_object();
}

}  // namespace

std::string openapi() {
  Writer out;
  out.begin_object().key("openapi").string("3.1.0").key("info").begin_object();
  out.key("title").string("tactus serve").key("version").string("1");
  out.key("description").string(kAbout).end_object();
  out.key("servers").begin_array().begin_object();
  out.key("url").string("http://127.0.0.1:8423").end_object().end_array();
  out.key("paths").begin_object();
  std::string_view path;
  for (const Route& route : Routes::all()) {
    if (route.path != path) {
      if (!path.empty()) out.end_object();
      out.key(path = route.path).begin_object();
    }
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    out.key(method).begin_object();
    out.key("operationId").string(route.id).key("summary").string(route.summary);
    if (path.starts_with("/api/") || path == "/metrics") {
      out.key("security").begin_array().begin_object();
      out.key("token").begin_array().end_array().end_object().end_array();
    }
    write_parameters(out, path);
    if (method == "post") write_body(out, path);
    write_responses(out, route);
    out.end_object();
  }
  out.end_object().end_object();
  const auto components = json::Document::parse(kComponents);
  json::copy(out.key("components"), components->root());
  return out.end_object().take();
}

}  // namespace tactus::serve
