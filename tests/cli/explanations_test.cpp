#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/run_tactus.hpp"

/// Some explanations in experiments/ say that a printed bound does not hold, and name the hunt that
/// shows it: it must find what they say. (tests/experiment/explanations_test.cpp runs the others.)
namespace tactus::cli {
namespace {

/// The commands, each once.
std::set<std::string> hunts() {
  static const std::regex kHunt(R"re("test": "tactus (validate [^"]*)")re");
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("experiments"))) {
    const std::string text = slurp(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), kHunt), end; match != end; ++match) {
      all.insert((*match)[1]);
    }
  }
  return all;
}

TEST(Explanations, ThatSpeakOfAHuntAreBorneOutByIt) {
  const bool full = std::getenv("TACTUS_FULL") != nullptr;
  ASSERT_FALSE(hunts().empty());
  for (const std::string& hunt : hunts()) {
    std::vector<std::string> words;
    std::istringstream in(hunt);
    for (std::string word; in >> word;) words.push_back(word);
    ASSERT_EQ(words.size(), 7u) << hunt;
    ASSERT_EQ(words[5], "--count");
    if (!full) words[6] = "100";
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 1) << hunt;
    for (const char* method : {"self-suspension", "stgm"}) {
      EXPECT_NE(ran.out.find(std::string(method) + ": task "), std::string::npos)
          << hunt << " finds nothing wrong with " << method;
    }
    words[4] = "safe";
    EXPECT_EQ(run_tactus(words).exit_code, 0) << "the repaired forms hold";
  }
}

}  // namespace
}  // namespace tactus::cli
