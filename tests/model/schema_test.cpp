#include <gtest/gtest.h>

#include <map>

#include "tactus/base/file.hpp"
#include "tactus/model/writer.hpp"
#include "tests/model/json_tree.hpp"
#include "tests/model/marked_text.hpp"
#include "tests/model/random_system.hpp"
#include "tests/model/schema_validator.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

json::Document parse(std::string text) {
  auto parsed = json::Document::parse(std::move(text));
  return std::move(std::get<json::Document>(parsed));
}

TEST(Schema, InTheDocsIsTheOneOfTheReader) {
  const Result<std::string> stored =
      read_text_file(support::source_path("docs/system.schema.json"));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(*stored, system_schema()) << "run: tactus schema > docs/system.schema.json";
}

TEST(Schema, AcceptsEveryValidSystem) {
  const json::Document schema = parse(system_schema());
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    Random random(8, i);
    const std::string text = write_system(random_system(random));
    ASSERT_EQ(violation(schema.root(), parse(text).root()), std::nullopt) << text;
  }
}

/// One place in the text, in words: the keyword that refuses it.
std::string refused_by(const std::string& text) {
  const json::Document schema = parse(system_schema());
  return violation(schema.root(), parse(text).root()).value_or("nothing");
}

TEST(Schema, RefusesMisspeltKeysAndBadValues) {
  EXPECT_EQ(refused_by(with_top(R"("tasks": [])")), "nothing");
  EXPECT_EQ(refused_by(with_top(R"("taks": [])")), "additionalProperties");
  EXPECT_EQ(refused_by("[]"), "type");
  EXPECT_EQ(refused_by(R"({"tactus": 1, "tasks": []})"), "required");
  for (const char* members : {R"("wcet": -1)", R"("wcet": "1")", R"("blocks": 1.5)",
                              R"("blocks": 0)", R"("slowdown": 0.5)", R"("threads": 1e30)"}) {
    EXPECT_EQ(refused_by(with_node(members)), "properties") << members;
  }
}

TEST(Schema, RefusesNothingThatTheReaderAccepts) {
  const json::Document schema = parse(system_schema());
  std::map<std::pair<bool, bool>, int> seen;  // by schema, by reader
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    Random random(9, i);
    JsonTree tree = JsonTree::from(parse(write_system(random_system(random))).root());
    for (std::int64_t left = random.integer(1, 3); left > 0; --left) tree.mutate(random);
    const std::string text = tree.text();
    const auto reason = violation(schema.root(), parse(text).root());
    const bool read = read_system(text).system.has_value();
    ASSERT_FALSE(reason && read) << "refused for " << *reason << "\n" << text;
    ++seen[{!reason, read}];
  }
  const std::pair both_accept(true, true), both_refuse(false, false), reader_alone(true, false);
  EXPECT_GT(seen[both_accept], 500);
  EXPECT_GT(seen[both_refuse], 3'000);
  EXPECT_GT(seen[reader_alone], 100) << "names and graphs are beyond a schema";
}

}  // namespace
}  // namespace tactus
