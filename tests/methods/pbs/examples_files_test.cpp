#include <gtest/gtest.h>

#include <filesystem>

#include "systems.hpp"
#include "tactus/base/file.hpp"
#include "tests/support/paths.hpp"

namespace tactus::pbs::testing {
namespace {

TEST(ExampleFiles, NeedTheGraphAndHaveAValidTable) {
  namespace fs = std::filesystem;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(support::source_path("examples"))) {
    if (!entry.path().filename().string().starts_with("pbs-")) continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    const auto text = read_text_file(entry.path().string());
    ASSERT_TRUE(text);
    const System system = read(*text);
    const Verdict verdict = run(kGraph, system);
    ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
    EXPECT_EQ(check_own_plan(kGraph, system, verdict), std::vector<std::string>());
    EXPECT_FALSE(schedulable(kEdfSerial, system));
    EXPECT_FALSE(schedulable(kEdfParallel, system));
  }
  EXPECT_EQ(files, 3);
}

}  // namespace
}  // namespace tactus::pbs::testing
