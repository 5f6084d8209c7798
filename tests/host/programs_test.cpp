#include "tactus/host/programs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tactus/host/module.hpp"

namespace tactus::host {
namespace {

namespace fs = std::filesystem;

TEST(Companion, IsFoundBesideTheProgramAndOneFolderHigher) {
  const fs::path here = fs::path(own_program()).parent_path();
  EXPECT_EQ(fs::path(companion(fs::path(own_program()).filename().string())), own_program());
  const fs::path above = here.parent_path() / "tactus-companion-test";
  { std::ofstream file(above); }
  const std::string found = companion("tactus-companion-test");
  EXPECT_TRUE(fs::equivalent(found, above)) << found;
  fs::remove(above);
}

TEST(Companion, ThatIsNowhereIsLeftToTheSystemToFind) {
  EXPECT_EQ(companion("no-such-program"), "no-such-program");
  EXPECT_TRUE(companions("no-such-program").empty());
}

TEST(Module, ThatIsNowhereOrNoLibraryIsAnErrorThatSaysWhy) {
  const auto nowhere = load_from_module("no-such-library.so", "symbol");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "no-such-library.so is not to be found");
  const fs::path text = fs::path(own_program()).parent_path() / "tactus-no-library.so";
  { std::ofstream(text) << "text"; }
  const auto wrong = load_from_module("tactus-no-library.so", "symbol");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("tactus-no-library.so"), std::string::npos);
  fs::remove(text);
}

}  // namespace
}  // namespace tactus::host
