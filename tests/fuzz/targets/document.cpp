// Documents that `report` shows: verdicts, observed runs, slack, advice. The page they make is one that
// no text in them can break out of. Plans are shown beside a system that some of the inputs are for.
#include "tactus/report/html/document.hpp"
#include "tactus/base/json.hpp"
#include "tests/fuzz/targets/example.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const System kDrone = fuzz::example("pbs-drone");
  const std::string text = fuzz::text_of(data, size);
  const auto html = report::document_html(text, &kDrone);
  if (!html) {
    fuzz::demand_one_line(html.error().message);
    return 0;
  }
  fuzz::demand(html->find("<script") == std::string::npos, "no text becomes a script");
  const auto parsed = json::Document::parse(text);
  if (const auto* document = std::get_if<json::Document>(&parsed)) {
    report::document_title(document->root());
  }
  return 0;
}
