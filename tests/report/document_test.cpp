#include "tactus/report/html/document.hpp"

#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/methods/plan.hpp"
#include "tactus/model/reader.hpp"
#include "tests/support/paths.hpp"

namespace tactus::report {
namespace {

/// A plan of a bundled system, with one word replaced wherever it stands.
std::string drone_plan(const System& system, std::string_view word, std::string_view by) {
  const Method& method = *find_method("pbs.graph");
  const Verdict verdict = method.analyze(system, {});
  json::Writer out(json::Layout::kOneLine);
  write_plan(out, system, method.id, kSafe, *verdict.plan);
  std::string text = out.take();
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    text.replace(at, word.size(), by);
  }
  return text;
}

System drone() {
  auto read = load_system(support::source_path("examples/pbs-drone.system.json"));
  return std::move(*read->system);
}

TEST(PlanDocument, HasTheTablesOfItsFamily) {
  const System system = drone();
  const auto html = document_html(drone_plan(system, "\"stream\"", "\"stream\""), &system);
  ASSERT_TRUE(html);
  EXPECT_NE(html->find("<table"), std::string::npos);
}

TEST(PlanDocument, ThatNamesATaskTheSystemDoesNotHaveSaysSoAndHasNoTables) {
  const System system = drone();
  const auto html = document_html(drone_plan(system, "\"stream\"", "\"steam\""), &system);
  ASSERT_TRUE(html);
  EXPECT_NE(html->find("steam"), std::string::npos) << *html;
  EXPECT_EQ(html->find("<table"), std::string::npos) << *html;
}

}  // namespace
}  // namespace tactus::report
