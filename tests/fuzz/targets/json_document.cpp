// JSON itself, under every reader: a document that is written as it was read says the same again.
#include "tactus/base/json_copy.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

namespace {

std::string written(const json::Value& value) {
  json::Writer out(json::Layout::kOneLine);
  json::copy(out, value);
  return out.take();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = json::Document::parse(fuzz::text_of(data, size));
  if (const auto* problem = std::get_if<Diagnostic>(&read)) {
    fuzz::demand_one_line(problem->message);
    return 0;
  }
  const std::string first = written(std::get<json::Document>(read).root());
  const auto again = json::Document::parse(first);
  fuzz::demand(std::holds_alternative<json::Document>(again), "what is written can be read");
  fuzz::demand(written(std::get<json::Document>(again).root()) == first,
               "what is written is the same document");
  return 0;
}
