#include "tests/exchange/importing.hpp"
#include "tests/support/folder.hpp"

// Who waits for a long import is told how far it has come, and can end it.
namespace tactus::exchange {
namespace {

constexpr std::size_t kMiB = 1 << 20;

/// A Chrome trace of one slice, and 20 MiB of blanks.
std::string long_trace() {
  return R"({"traceEvents":[{"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":5})" +
         std::string(20 * kMiB, ' ') + "]}";
}

ImportOptions watched(Watch watch) {
  ImportOptions options;
  options.name = "long";
  options.watch = std::move(watch);
  return options;
}

TEST(LongImport, SaysHowMuchOfTheFileHasBeenRead) {
  const support::TemporaryFolder folder;
  const std::string trace = folder.file("trace.json", long_trace());
  std::vector<std::string> told;
  const Imported found = good(import_file(
      trace, "chrome", watched({[&](std::string_view text) { told.emplace_back(text); }, {}})));
  EXPECT_EQ(found.system.tasks.size(), 1U);
  ASSERT_EQ(told.size(), 2U) << "every 8 MiB";
  EXPECT_EQ(told[0].substr(told[0].find(" of")), " of 20 MiB");
  EXPECT_NE(told[0], told[1]);
}

TEST(LongImport, EndsWhenItIsAskedTo) {
  const support::TemporaryFolder folder;
  const std::string trace = folder.file("trace.json", long_trace());
  std::stop_source stop;
  const auto at_once = [&](std::string_view) { stop.request_stop(); };
  const std::string why = bad(import_file(trace, "chrome", watched({at_once, stop.get_token()})));
  EXPECT_NE(why.find("interrupted"), std::string::npos) << why;
}

}  // namespace
}  // namespace tactus::exchange
