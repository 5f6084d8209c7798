// What programs write by the client library, read from outside.
#include "tactus/watch/diaries.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tactus/client.h"
#include "tactus/host/clock.hpp"
#include "tactus/watch/diary_sink.hpp"
#include "tests/support/folder.hpp"
#include "tests/watch/robot.hpp"

namespace tactus::watch {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr TaskIndex kCamera = 0;

class Written : public testing::Test {
 protected:
  std::string place() const { return folder_.file("watch"); }
  /// A process that is this task; it ends with `work`.
  template <typename Work>
  pid_t start(const char* task, const Work& work) {
    const pid_t child = fork();
    if (child != 0) return child;
    setenv("TACTUS_WATCH", place().c_str(), 1);
    setenv("TACTUS_TASK", task, 1);
    setenv("TACTUS_SOCKET", (place() + "/none").c_str(), 1);
    work();
    _exit(0);
  }
  template <typename Work>
  void run(const char* task, const Work& work) {
    waitpid(start(task, work), nullptr, 0);
  }
  std::vector<Note> read(Diaries& diaries) {
    std::vector<Note> notes;
    diaries.look();
    diaries.read([&](TaskIndex task, const Note& note) {
      EXPECT_EQ(task, kCamera);
      notes.push_back(note);
    });
    return notes;
  }
  static void jobs(int count) {
    tactus_path* const path = tactus_path_open(nullptr, nullptr);
    if (path == nullptr) _exit(1);
    for (int k = 0; k < count; ++k) {
      tactus_job job;
      tactus_path_arrived(path, host::now_ns(), &job);
      tactus_segment_begin(5);
      tactus_segment_end();
      tactus_path_ended(path, &job);
    }
  }

  System system_ = robot();
  support::TemporaryFolder folder_;
};

TEST_F(Written, IsEveryJobWithItsSegments) {
  Diaries diaries(system_, {place()});
  EXPECT_TRUE(read(diaries).empty());
  run("robot/camera", [] { jobs(2); });
  const std::vector<Note> notes = read(diaries);
  ASSERT_EQ(notes.size(), 6u);
  EXPECT_EQ(notes[0].kind, NoteKind::kReleased);
  EXPECT_EQ(notes[1].kind, NoteKind::kSegment);
  EXPECT_EQ(notes[1].number, static_cast<std::uint32_t>(TACTUS_UNARBITRATED));
  EXPECT_EQ(notes[2].kind, NoteKind::kJob);
  EXPECT_EQ(notes[5].number, notes[2].number + 1);
  EXPECT_LE(notes[0].asked_ns, notes[0].began_ns);
  EXPECT_LE(notes[0].began_ns, notes[1].asked_ns);
  EXPECT_LE(notes[1].asked_ns, notes[1].began_ns);
  EXPECT_LE(notes[1].began_ns, notes[1].ended_ns);
  EXPECT_LE(notes[1].ended_ns, notes[2].ended_ns);
  EXPECT_GT(notes[1].cpu_ns, 0);
  EXPECT_TRUE(read(diaries).empty()) << "each once";
  EXPECT_TRUE(diaries.writer(kCamera).known);
  EXPECT_FALSE(diaries.writer(kCamera).there) << "it has ended";
  EXPECT_FALSE(diaries.writer(1).known);
}

TEST_F(Written, BeforeTheWatchBeganIsOld) {
  run("robot/camera", [] { jobs(3); });
  Diaries diaries(system_, {place()});
  EXPECT_TRUE(read(diaries).empty());
  run("robot/camera", [] { jobs(1); });
  EXPECT_EQ(read(diaries).size(), 3u);
}

TEST_F(Written, FasterThanItIsReadIsCounted) {
  Diaries diaries(system_, {place()});
  EXPECT_TRUE(read(diaries).empty());
  run("robot/camera", [] { jobs(1000); });
  const std::size_t kept = read(diaries).size();
  EXPECT_EQ(kept, arbiter::client::DiaryPage::kNotes);
  EXPECT_EQ(diaries.writer(kCamera).lost + kept, 3000u);
}

TEST_F(Written, WhoVanishesIsSeen) {
  Diaries diaries(system_, {place()});
  const pid_t child = start("robot/camera", [] {
    jobs(1);
    for (;;) pause();
  });
  for (int i = 0; i < 1000 && !diaries.writer(kCamera).there; ++i) {
    usleep(10'000);
    read(diaries);
  }
  EXPECT_TRUE(diaries.writer(kCamera).there);
  EXPECT_EQ(diaries.writer(kCamera).pid, child);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  read(diaries);
  EXPECT_FALSE(diaries.writer(kCamera).there);
}

TEST_F(Written, WhatIsNoDiaryIsNotRead) {
  mkdir(place().c_str(), 0700);
  const std::string file = place() + "/robot%2Fcamera.diary";
  std::ofstream(file) << "nonsense";
  Diaries diaries(system_, {place()});
  EXPECT_TRUE(read(diaries).empty());
  EXPECT_FALSE(diaries.writer(kCamera).known);
  std::ofstream(file) << std::string(sizeof(arbiter::client::DiaryPage), '\xff');
  EXPECT_TRUE(read(diaries).empty()) << "of another version";
  ASSERT_EQ(truncate(file.c_str(), 8), 0);
  EXPECT_TRUE(read(diaries).empty());
}

TEST_F(Written, WhatCannotBeIsCountedAsLost) {
  Diaries diaries(system_, {place()});
  EXPECT_TRUE(read(diaries).empty());
  run("robot/camera", [] { jobs(1); });
  std::fstream file(place() + "/robot%2Fcamera.diary", std::ios::in | std::ios::out);
  file.seekp(offsetof(arbiter::client::DiaryPage, slots) + 8 + offsetof(Note, began_ns));
  const std::int64_t never = INT64_MAX;
  file.write(reinterpret_cast<const char*>(&never), sizeof never);
  file.close();
  EXPECT_EQ(read(diaries).size(), 2u);
  EXPECT_EQ(diaries.writer(kCamera).lost, 1u);
}

TEST_F(Written, NothingWhereNobodyAsked) {
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("TACTUS_WATCH");
    unsetenv("TACTUS_PATHS");
    setenv("TACTUS_TASK", "robot/camera", 1);
    _exit(tactus_path_open(nullptr, nullptr) == nullptr ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "without TACTUS_PATHS a path needs somebody who watches";
}

TEST_F(Written, ByAProgramThatPlaysAPlan) {
  Diaries diaries(system_, {place()});
  EXPECT_TRUE(read(diaries).empty());
  trace::Trace kept;
  DiarySink sink(system_, place(), &kept);
  const std::int64_t before = host::now_ns();
  const auto ms = [](std::int64_t time) { return Time::from_ms(time); };
  // Two blocks of a kernel are one node.
  sink.add(trace::Interval{.task = kCamera, .node = 1, .element = 1, .start = ms(3), .end = ms(5)});
  sink.add(trace::Interval{.task = kCamera, .node = 1, .element = 1, .start = ms(2), .end = ms(4)});
  sink.add(trace::JobSpan{.task = kCamera,
                          .job = 7,
                          .release = ms(1),
                          .begin = ms(1),
                          .end = ms(6),
                          .late = Time::from_us(500)});
  EXPECT_EQ(kept.intervals.size(), 2u);
  EXPECT_EQ(kept.jobs.size(), 1u);
  const std::vector<Note> notes = read(diaries);
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0].kind, NoteKind::kReleased);
  EXPECT_EQ(notes[0].began_ns - notes[0].due_ns, 500'000);
  EXPECT_EQ(notes[1].kind, NoteKind::kNode);
  EXPECT_EQ(notes[1].number, 1u);
  EXPECT_EQ(notes[1].ended_ns - notes[1].began_ns, 3 * kMs);
  EXPECT_EQ(notes[2].kind, NoteKind::kJob);
  EXPECT_EQ(notes[2].number, 7u);
  EXPECT_EQ(notes[2].ended_ns - notes[2].asked_ns, 5 * kMs);
  EXPECT_GE(notes[2].ended_ns, before);
  EXPECT_LE(notes[2].ended_ns, host::now_ns());
  EXPECT_TRUE(diaries.writer(kCamera).there);
}

TEST(UsualFolders, AreBesideTheSocket) {
  support::TemporaryFolder folder;
  for (const char* name : {"watch-robot", "watch-robot-alice", "watch-robotics", "paths-robot"})
    mkdir(folder.file(name).c_str(), 0700);
  EXPECT_EQ(
      usual_folders(folder.file("tactus.sock"), "robot"),
      (std::vector<std::string>{folder.file("watch-robot"), folder.file("watch-robot-alice")}));
}

}  // namespace
}  // namespace tactus::watch
