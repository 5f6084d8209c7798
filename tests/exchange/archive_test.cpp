#include "tactus/exchange/archive.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "tactus/base/file.hpp"

namespace tactus::exchange {
namespace {

std::string scratch(const char* name) {
  return (std::filesystem::temp_directory_path() / (std::string("tactus-archive-") + name))
      .string();
}

TEST(Archive, IsReadAsItWasWritten) {
  std::mt19937 random(3);
  std::vector<ArchiveMember> members = {{"empty", ""}, {"a/b.txt", std::string(512, 'x')}};
  for (int i = 0; i < 20; ++i) {
    std::string bytes(random() % 5000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    members.push_back({"m" + std::to_string(i), std::move(bytes)});
  }
  const std::string path = scratch("round.tar.gz");
  ASSERT_FALSE(write_text_file(path, tar_gz(members)));
  const auto read = read_tar_gz(path);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ((*read)[i].name, members[i].name);
    EXPECT_EQ((*read)[i].bytes, members[i].bytes);
  }
  EXPECT_EQ(std::system(("tar tzf " + path + " > /dev/null").c_str()), 0) << "tar reads it, too";
  std::filesystem::remove(path);
}

TEST(Archive, TakesNothingThatIsDamagedOrLeadsElsewhere) {
  const std::string good = tar_gz({{"a", "some text"}, {"b", "more"}});
  const std::string path = scratch("bad.tar.gz");
  // Every prefix, and every single byte changed: an error or the same members, never a crash.
  for (std::size_t size = 0; size < good.size(); ++size) {
    ASSERT_FALSE(write_text_file(path, good.substr(0, size)));
    EXPECT_FALSE(read_tar_gz(path)) << size;
  }
  std::string folder = scratch("dir");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  ASSERT_FALSE(write_text_file(folder + "/x", "x"));
  ASSERT_EQ(std::system(("cd " + folder + " && tar czPf " + path + " ../" +
                         std::filesystem::path(folder).filename().string() + "/x")
                            .c_str()),
            0);
  const auto outside = read_tar_gz(path);
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message.find("is no plain file"), std::string::npos);
  std::filesystem::remove_all(folder);
  std::filesystem::remove(path);
}

TEST(Archive, OfAFewBytesDoesNotBecomeHundredsOfMegabytes) {
  const std::string path = scratch("bomb.tar.gz");
  ASSERT_FALSE(write_text_file(path, tar_gz({{"a", std::string(std::size_t{120} << 20, '\0')}})));
  const auto members = read_tar_gz(path);
  ASSERT_FALSE(members);
  EXPECT_EQ(
      members.error().message,
      path + ": it unpacks to more than 100 times its size; unpack it yourself if you trust it");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tactus::exchange
