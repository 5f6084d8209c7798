#include "tactus/deploy/quoting.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

namespace tactus::deploy {
namespace {

/// Words that are hard to quote, and random ones of hard characters.
std::vector<std::string> hard_words(bool with_breaks) {
  std::vector<std::string> words = {
      "",     " ",  "a b", "$HOME", "${HOME}",  "%h",    "%%",  "100%",  "a\"b", "a'b",
      "a\\b", "\\", ";",   "&& rm", "`id`",     "$(id)", "#no", "~",     "*",    "--flag",
      "a=b",  "-",  "@x",  "\t",    "\xc3\xa9", "a;b",   "!",   "\\x41", "\\n"};
  std::mt19937 random(7);
  std::string letters = "ab $%\"'\\;&|<>()`*?[]#~=!@+-:{}\t\xc3\xa9";
  letters.erase(letters.size() - 2);  // no half characters
  if (with_breaks) letters += '\n';
  for (int i = 0; i < 300; ++i) {
    std::string word;
    for (std::size_t n = random() % 12; n > 0; --n) word += letters[random() % letters.size()];
    words.push_back(word);
  }
  return words;
}

/// What a program that a shell starts with this line gets as its arguments.
std::vector<std::string> as_the_shell_reads(const std::string& line) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("printf '%s\\001' " + line).c_str(), "r"),
                                                   pclose);
  std::vector<std::string> words(1);
  for (int c = 0; (c = fgetc(pipe.get())) != EOF;) {
    if (c == '\001') {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(c);
    }
  }
  words.pop_back();
  return words;
}

/// How systemd reads a line of words: by systemd.syntax(7), systemd.service(5) and systemd.unit(5),
/// without our code. Specifiers and variables that would be replaced fail the test.
struct UnitWords {
  bool variables = true;  ///< are they replaced?
  std::vector<std::string> words;
};
UnitWords as_systemd_reads(std::string line) {
  UnitWords read;
  if (line.starts_with(":")) {
    read.variables = false;
    line.erase(0, 1);
  }
  bool inside = false;  // of a word
  char quotes = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quotes == 0 && (c == ' ' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) read.words.emplace_back();
    inside = true;
    std::string& word = read.words.back();
    if (quotes == 0 && (c == '"' || c == '\'')) {
      quotes = c;
    } else if (c == quotes) {
      quotes = 0;
    } else if (c == '\\') {
      const char next = line[++i];
      word += next == 't' ? '\t' : next;
      EXPECT_TRUE(next == 't' || next == '"' || next == '\\') << line;
    } else if (c == '%') {
      EXPECT_EQ(line[++i], '%') << line;
      word += '%';
    } else {
      EXPECT_FALSE(c == '$' && read.variables) << line;
      word += c;
    }
  }
  EXPECT_EQ(quotes, 0) << line;
  return read;
}

TEST(ShellWords, ArriveAsTheyAre) {
  const std::vector<std::string> words = hard_words(true);
  EXPECT_EQ(as_the_shell_reads(shell_command(words)), words);
}

TEST(ShellWords, ArePlainWhereTheyCanBe) {
  EXPECT_EQ(shell_command({"/usr/bin/tactus", "--lease", "1.5", "x,y"}),
            "/usr/bin/tactus --lease 1.5 x,y");
  EXPECT_EQ(shell_word("A=b"), "'A=b'") << "it would be an assignment";
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(UnitCommand, ArrivesAsItIs) {
  std::vector<std::string> words = hard_words(false);
  words.insert(words.begin(), "/opt/my robot/100%/camera");
  const auto line = unit_command(words);
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(as_systemd_reads(*line).words, words);
  EXPECT_EQ(line->find('\n'), std::string::npos);
}

TEST(UnitCommand, OfEachWordAloneArrivesAsItIs) {
  for (const std::string& word : hard_words(false)) {
    const auto line = unit_command({"/bin/echo", word});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(as_systemd_reads(*line).words, (std::vector<std::string>{"/bin/echo", word}));
  }
}

TEST(UnitCommand, RefusesLineBreaksAndOtherControlCharacters) {
  for (const char* word : {"a\nb", "\n", "a\rb", "\x1b[0m", "\x7f"}) {
    EXPECT_FALSE(unit_command({"/bin/echo", word})) << word;
    EXPECT_FALSE(unit_variable("A", word));
    EXPECT_FALSE(unit_line(word));
  }
}

TEST(UnitCommand, RefusesAProgramThatSystemdWouldNotStart) {
  for (const char* program : {"./camera", "bin/camera", "-camera", "@camera", "!camera", "+camera"})
    EXPECT_FALSE(unit_command({program})) << program;
  EXPECT_TRUE(unit_command({"python3", "-m", "detector"}));
}

TEST(UnitVariable, ArrivesAsItIs) {
  for (const std::string& value : hard_words(false)) {
    const auto line = unit_variable("NAME", value);
    ASSERT_TRUE(line) << line.error().message;
    // Variables are not replaced in Environment=.
    const UnitWords read = as_systemd_reads(":" + *line);
    ASSERT_EQ(read.words.size(), 1U);
    EXPECT_EQ(read.words.front(), "NAME=" + value);
  }
}

TEST(UnitLine, DoublesPercentAndRefusesWhatWouldBeCutOrContinued) {
  EXPECT_EQ(*unit_line("/opt/my robot/100%"), "/opt/my robot/100%%");
  for (const char* text : {"", " a", "a ", "a\\"}) EXPECT_FALSE(unit_line(text)) << text;
}

TEST(FilePart, HasOnlyLettersThatEveryFileSystemTakes) {
  EXPECT_EQ(file_part("front camera/2"), "front_camera_2");
  EXPECT_EQ(file_part("../../etc"), ".._.._etc");
  EXPECT_LE(file_part(std::string(1000, 'x')).size(), 100U);
}

TEST(UnitStem, IsNeverThatOfAnotherSystemAndTask) {
  EXPECT_EQ(unit_stem("robot", "camera"), "tactus-robot-camera");
  EXPECT_NE(unit_stem("a", "b-c"), unit_stem("a-b", "c"));
  std::vector<std::string> names = {""};
  for (std::size_t i = 0; i < names.size() && names[i].size() < 3; ++i)
    for (const char c : std::string_view("a-_:/")) names.push_back(names[i] + c);
  names.insert(names.end(), {std::string(200, 'x'), std::string(201, 'x'), "a b", "\x01"});
  std::map<std::string, std::string> seen;
  for (const std::string& system : names) {
    for (const std::string& task : names) {
      const std::string stem = unit_stem(system, task), of = system + '\0' + task;
      const auto [other, fresh] = seen.emplace(stem, of);
      ASSERT_TRUE(fresh || other->second == of) << stem;
      ASSERT_LE(stem.size(), 200U);
      ASSERT_EQ(stem.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:-_."),
                std::string::npos)
          << stem;
    }
  }
}

}  // namespace
}  // namespace tactus::deploy
