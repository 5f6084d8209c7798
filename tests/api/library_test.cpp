// libtactus.so, as a program in another language finds it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tactus/tactus.h"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  std::array<char, 4096> part{};
  FILE* pipe = ::popen(command.c_str(), "r");
  while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr) {
    text += part.data();
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return text;
}

TEST(Library, IsLinkedAndSaysItsVersion) { EXPECT_STREQ(tactus_version(), TACTUS_VERSION); }

/// What programs were compiled with.
TEST(Library, KeepsTheValuesOfItsConstants) {
  static_assert(TACTUS_YES == 0 && TACTUS_NO == 1 && TACTUS_BAD_INPUT == 2 && TACTUS_UNKNOWN == 3);
  static_assert(sizeof(enum tactus_status) == sizeof(int));
}

/// Every symbol is found when it is loaded, so none is left undefined.
TEST(Library, IsLoadedWholeAtOnce) {
  void* library = ::dlopen(TACTUS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(::dlvsym(library, "tactus_version", "TACTUS_0.1"));
  ASSERT_NE(version, nullptr) << ::dlerror();
  EXPECT_STREQ(version(), TACTUS_VERSION);
  EXPECT_EQ(::dlsym(library, "tactus_segment_begin"), nullptr)
      << "the arbiter's client has its own";
  ::dlclose(library);
}

TEST(Library, ShowsNothingButItsInterface) {
  std::istringstream lines(output_of("nm -D --defined-only " TACTUS_LIBRARY));
  std::string address, type, name;
  std::vector<std::string> names;
  while (lines >> address >> type >> name) {
    if (type != "A") names.push_back(name);  // A: the name of a version
  }
  std::sort(names.begin(), names.end());
  std::ifstream list(support::source_path("tests/api/symbols.txt"));
  std::vector<std::string> expected;
  while (list >> name) expected.push_back(name);
  EXPECT_EQ(names, expected)
      << "programs were linked against these: none may go away; add new ones to the list";
}

/// The whole of Tactus is inside, not only what the interface uses so far.
TEST(Library, HoldsEveryRoom) {
  const std::string symbols = output_of("nm -C --defined-only " TACTUS_LIBRARY);
  for (const char* one : {"tactus::read_system(", "tactus::registry()", "tactus::simulate::hunt(",
                          "tactus::runtime::run_plan(", "tactus::report::html_table"}) {
    EXPECT_NE(symbols.find(one), std::string::npos) << one;
  }
}

}  // namespace
}  // namespace tactus
