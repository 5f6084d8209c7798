#include "tactus/serve/routes.hpp"
#include "tactus/serve/openapi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "tactus/base/file.hpp"
#include "tactus/base/json.hpp"
#include "tactus/report/charts/workshop.hpp"
#include "tactus/serve/assets.hpp"
#include "tests/support/folder.hpp"

namespace tactus::serve {
namespace {

HttpRequest asking(std::string method, std::string path, std::string body = {}) {
  HttpRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  return request;
}

TEST(Routes, AreThoseOfTheDescriptionAndNoOthers) {
  const auto parsed = json::Document::parse(openapi());
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  std::set<std::string> described, answered;
  const json::Value* const paths = std::get<json::Document>(parsed).root().find("paths");
  ASSERT_NE(paths, nullptr);
  for (const json::Member& path : paths->members()) {
    for (const json::Member& method : path.value.members()) {
      std::string name(method.key);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return static_cast<char>(c - 'a' + 'A'); });
      described.insert(name + " " + std::string(path.key));
    }
  }
  for (const Route& route : Routes::all()) {
    answered.insert(std::string(route.method) + " " + std::string(route.path));
  }
  EXPECT_EQ(described, answered);
}

TEST(Routes, WatchTheFile) {
  support::TemporaryFolder folder;
  const std::string file = folder.file("r.system.json", R"({"tactus": 1, "name": "r",
    "time_unit": "ms", "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1},
      {"name": "gpu", "kind": "gpu", "units": 1, "runlist_update": 0, "context_switch": 0}]},
    "tasks": [{"name": "a", "period": 10, "priority": 1, "core": 1, "nodes": [
      {"name": "c", "on": "cpu", "wcet": 1}, {"name": "g", "on": "gpu", "wcet": 1}]}]})");
  Subject subject{file, false, folder.file("none")};
  Routes routes(subject, Guard("127.0.0.1", 1, "x"));
  const HttpResponse seen = routes.answer(asking("GET", "/api/watch"));
  EXPECT_NE(seen.body.find("\"watched\""), std::string::npos) << seen.body;
  EXPECT_NE(seen.body.find("0 of 1 covered"), std::string::npos) << seen.body;
  HttpRequest request = asking("GET", "/metrics");
  EXPECT_NE(routes.answer(request).body.find("\n# TYPE tactus_jobs_total counter\n"),
            std::string::npos);
  request.accept = "application/openmetrics-text";
  const HttpResponse open = routes.answer(request);
  EXPECT_NE(open.body.find("\ntactus_covered{task=\"a\"} 0\n"), std::string::npos) << open.body;
  EXPECT_TRUE(open.body.ends_with("# EOF\n"));
  EXPECT_TRUE(open.type.starts_with("application/openmetrics-text"));
  routes.end();
}

TEST(Routes, AnswerEachAddressAndNothingElse) {
  Routes routes({}, Guard("127.0.0.1", 1, "x"));
  for (const Route& route : Routes::all()) {
    std::string path(route.path);
    if (path.ends_with("{id}")) continue;  // there is no job yet
    if (const std::size_t at = path.find("{question}"); at != std::string::npos) {
      path.replace(at, std::string::npos, "check");
    }
    const HttpResponse response = routes.answer(asking(std::string(route.method), path, "{}"));
    EXPECT_NE(response.status, 404) << route.method << " " << path;
  }
  for (const char* path : {"/api", "/api/", "/api/jobs/", "/api/check/", "/etc/passwd",
                           "/index.html", "/api/jobs/x", "/api/jobs/1 ", "/api/jobs/+1"}) {
    for (const char* method : {"GET", "POST", "DELETE"}) {
      EXPECT_EQ(routes.answer(asking(method, path, "{}")).status, 404) << method << " " << path;
    }
  }
}

TEST(EditedFile, IsReplacedOnlyFromWhatWasRead) {
  const report::Workshop folder;
  const std::string path = folder.file("a.json");
  ASSERT_FALSE(write_text_file(path, "one"));
  EditedFile file(path);
  const auto first = file.read();
  ASSERT_TRUE(first);
  const auto saved = file.save("two", first->revision);
  EXPECT_EQ(saved.saved, EditedFile::Saved::kYes);
  EXPECT_EQ(*read_text_file(path), "two");
  EXPECT_EQ(file.save("three", first->revision).saved, EditedFile::Saved::kChangedMeanwhile);
  EXPECT_EQ(*read_text_file(path), "two");
  EXPECT_EQ(file.save("three", saved.revision).saved, EditedFile::Saved::kYes);
  EXPECT_EQ(EditedFile("").save("x", "").saved, EditedFile::Saved::kFailed);
}

TEST(Jobs, AreRefusedWhileTooManyRunAndForgottenWhenTheyAreOld) {
  Watch watch;
  Jobs jobs(watch, {.running = 1, .kept = 2, .time = std::chrono::seconds(60)});
  static constexpr Question kUntilStopped{
      "wait", [](const std::string&, tactus_call* call) {
        while (tactus_call_is_cancelled(call) == 0) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return std::string("{}");
      }};
  static constexpr Question kAtOnce{"now",
                                    [](const std::string& body, tactus_call*) { return body; }};
  const auto first = jobs.start(kUntilStopped, {});
  ASSERT_TRUE(first);
  EXPECT_FALSE(jobs.start(kAtOnce, "{}"));
  EXPECT_NE(jobs.describe(*first)->find(R"("state":"running")"), std::string::npos);
  EXPECT_TRUE(jobs.stop(*first));
  std::optional<std::uint64_t> next;
  while (!next) next = jobs.start(kAtOnce, R"({"a":1})");
  while (jobs.describe(*next)->find(R"("answer":{"a":1})") == std::string::npos) {
  }
  while (!jobs.start(kAtOnce, "{}")) {
  }
  EXPECT_FALSE(jobs.describe(*first));  // two are kept
  EXPECT_FALSE(jobs.stop(12345));
}

TEST(Watch, CancelsWhatTakesTooLongAndEverythingAtTheEnd) {
  Watch watch;
  const Call quick(tactus_call_new()), slow(tactus_call_new());
  const Watch::Watched first(watch, quick.get(), std::chrono::seconds(0));
  const Watch::Watched second(watch, slow.get(), std::chrono::hours(1));
  while (tactus_call_is_cancelled(quick.get()) == 0) std::this_thread::yield();
  EXPECT_EQ(tactus_call_is_cancelled(slow.get()), 0);
  watch.cancel_all();
  EXPECT_NE(tactus_call_is_cancelled(slow.get()), 0);
}

TEST(Routes, ShowNoMoreDocumentsThanAPageCanHold) {
  Routes routes({}, Guard("127.0.0.1", 1, "x"));
  std::string documents;
  for (int i = 0; i < 2000; ++i) documents += i == 0 ? "\"{}\"" : ",\"{}\"";
  const HttpResponse response =
      routes.answer(asking("POST", "/api/report", "{\"documents\": [" + documents + "]}"));
  EXPECT_NE(response.body.find("2000 documents are too many"), std::string::npos)
      << response.body.substr(0, 500);
  EXPECT_LT(response.body.size(), 1000U);
}

}  // namespace
}  // namespace tactus::serve
