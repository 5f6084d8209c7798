#include "tactus/methods/releases.hpp"
#include "tactus/methods/priorities.hpp"
#include "tests/methods/many/support.hpp"
#include "tests/support/read.hpp"
#include "tests/support/scaled.hpp"

/// Late releases in the methods that have no jitter in their equations, against the systems that
/// stand for them, written down here; and in gang.rm-he, which has it, by hand.
namespace tactus::tests {
namespace {

/// The families whose equations know jitter.
bool knows_jitter(const Method& method) {
  for (const std::string_view family : {"gcaps.", "tsg-rr.", "mpcp.", "fmlp.", "gang.rm-he"}) {
    if (method.id.starts_with(family)) return true;
  }
  return false;
}

Time part_of(Time time, std::int64_t percent) { return Time::from_ns(time.ns() / 100 * percent); }

TEST(LateReleases, AreTheSameAsASystemThatIsOnTime) {
  int compared = 0, proved = 0;
  for (const Method* method : registry()) {
    if (knows_jitter(*method)) continue;
    const bool table = method->behaviour.fixes_releases;
    const bool one_graph = method->behaviour.name == "kernel-graph";
    for (const System& drawn : systems_of_all_families(support::scaled(std::uint64_t{100}))) {
      System late = drawn, on_time = drawn;
      const auto priorities = priorities_of(drawn);
      if (!std::holds_alternative<Priorities>(priorities)) continue;
      for (std::size_t i = 0; i < drawn.tasks.size(); ++i) {
        Task &task = late.tasks[i], &other = on_time.tasks[i];
        if (task.best_effort || !task.deadline) continue;
        task.jitter = part_of(*task.deadline, static_cast<std::int64_t>(5 + 3 * i));
        if (one_graph && task.period) other.deadline = std::min(*task.deadline, *task.period);
        other.deadline = *other.deadline - task.jitter;
        if (table) {
          other.offset += task.jitter;
        } else if (task.period) {
          other.period = *task.period - task.jitter;
        }
        other.priority = std::get<Priorities>(priorities).of[i];  // of the deadlines here
      }
      const Verdict verdict = analyze(*method, late), expected = analyze(*method, on_time);
      SCOPED_TRACE(name_of(*method, {}, late));
      ASSERT_EQ(verdict.status, expected.status);
      ASSERT_EQ(verdict.tasks.size(), expected.tasks.size());
      for (std::size_t k = 0; k < verdict.tasks.size(); ++k) {
        const Task& task = late.tasks[verdict.tasks[k].task];
        EXPECT_EQ(verdict.tasks[k].deadline, task.deadline);
        EXPECT_EQ(verdict.tasks[k].schedulable, expected.tasks[k].schedulable);
        ASSERT_EQ(verdict.tasks[k].bound.has_value(), expected.tasks[k].bound.has_value());
        if (!verdict.tasks[k].bound) continue;
        EXPECT_EQ(*verdict.tasks[k].bound, *expected.tasks[k].bound + task.jitter);
        ++compared;
      }
      proved += verdict.status == Status::kSchedulable ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 50);
  EXPECT_GT(proved, 10);
}

TEST(LateReleases, CountInTheResponsesThatRmHeCarriesIn) {
  const auto bounds = [](const char* jitter, const char* own) {
    const System system = support::read(std::string(R"({"tactus":1,"platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1}]},"tasks":[
      {"name":"h","period":10)") + jitter +
                                        R"(,"nodes":[{"name":"n","on":"cpu","wcet":2}]},
      {"name":"i","period":20)" + own + R"(,"nodes":[{"name":"n","on":"cpu","wcet":6}]}]})");
    const Verdict verdict = analyze(*find_method("gang.rm-he"), system);
    return std::pair(verdict.tasks[0].bound->ns() / 1'000'000,
                     verdict.tasks[1].bound->ns() / 1'000'000);
  };
  EXPECT_EQ(bounds("", ""), std::pair(2L, 8L));
  // W_h(x) with y = x + R_h - C_h: 6 + W(10) = 6 + 2 + 2.
  EXPECT_EQ(bounds(R"(,"jitter":3)", ""), std::pair(5L, 10L));
  EXPECT_EQ(bounds(R"(,"jitter":3)", R"(,"jitter":4)"), std::pair(5L, 14L));
}

TEST(LateReleases, FollowTheBoundsInRmHe) {
  const System system = support::read(R"({"tactus":1,"platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1}]},"tasks":[
      {"name":"h","period":10,"nodes":[{"name":"n","on":"cpu","wcet":2,"bcet":1}]},
      {"name":"i","after":"h","jitter":1,"nodes":[{"name":"n","on":"cpu","wcet":3}]}]})");
  const Verdict verdict = analyze(*find_method("gang.rm-he"), system);
  ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  EXPECT_EQ(verdict.tasks[0].bound->ns(), 2'000'000);
  // Released up to 2 - 1 + 1 late; 3 + 2 from there.
  EXPECT_EQ(verdict.tasks[1].bound->ns(), 7'000'000);
  EXPECT_EQ(verdict.tasks[1].latency->ns(), 8'000'000);
}

}  // namespace
}  // namespace tactus::tests
