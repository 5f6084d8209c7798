#include "tactus/methods/priorities.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/read.hpp"

namespace tactus {
namespace {

/// Tasks a, b, c, ... with these attributes and one CPU node.
System with_tasks(const std::vector<std::string>& attributes) {
  std::string tasks;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    tasks +=
        fmt::format(R"({}{{"name": "{}", {}, "nodes": [{{"name": "n", "on": "cpu", "wcet": 1}}]}})",
                    i == 0 ? "" : ", ", static_cast<char>('a' + i), attributes[i]);
  }
  return support::read(fmt::format(
      R"({{"tactus": 1, "platform": {{"elements": [{{"name": "cpu", "kind": "cpu", "units": 4}}]}},
          "tasks": [{}]}})",
      tasks));
}

TEST(Priorities, AreThoseOfTheFileWhereItGivesThem) {
  const auto made =
      priorities_of(with_tasks({R"("period": 9, "priority": -4)", R"("period": 3, "priority": -8)",
                                R"("best_effort": true)"}));
  const auto& priorities = std::get<Priorities>(made);
  EXPECT_EQ(priorities.of, (std::vector<std::int64_t>{-4, -8, 0}));
  EXPECT_EQ(priorities.note, "");
}

TEST(Priorities, AreDeadlineMonotonicWhereTheFileGivesNoneAndANoteSaysSo) {
  System system =
      with_tasks({R"("period": 9)", R"("period": 50, "deadline": 3)", R"("best_effort": true)",
                  R"("period": 9, "deadline": 9)", R"("period": 4)"});
  system.tasks[2].priority = 7;  // the reader warns of it
  const auto made = priorities_of(system);
  const auto& priorities = std::get<Priorities>(made);
  EXPECT_EQ(priorities.of, (std::vector<std::int64_t>{2, 4, 0, 1, 3}))
      << "of equal deadlines the first in the file is more urgent";
  EXPECT_EQ(priorities.note,
            "the file gives no priorities; deadline-monotonic ones are used, and must be at run "
            "time: `b` > `e` > `a` > `d`");
}

TEST(Priorities, OfOneTaskNeedNoNote) {
  const auto made = priorities_of(with_tasks({R"("period": 9)", R"("best_effort": true)"}));
  EXPECT_EQ(std::get<Priorities>(made).note, "");
}

TEST(Priorities, ForSomeTasksOnlyAreRefused) {
  const auto made = priorities_of(with_tasks({R"("period": 9, "priority": 1)", R"("period": 3)"}));
  EXPECT_EQ(std::get<Refusal>(made).reason,
            "1 of 2 real-time tasks have no `priority` (`b`), the others have; give one to all of "
            "them, or to none");
}

}  // namespace
}  // namespace tactus
