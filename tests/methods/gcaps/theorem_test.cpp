#include "tactus/methods/gcaps/fast/fmlp.hpp"
#include "tactus/methods/gcaps/fast/mpcp.hpp"
#include "tactus/methods/gcaps/fast/responses_in_order.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// The fast forms find what the theorems say: in thousands of systems, task by task, the least window
/// in which the right-hand side is as long as the window, or that there is none up to the deadline.
namespace tactus::gcaps::tests {
namespace {

constexpr std::array<Variant, 2> kReadings = {Variant::kSafe, Variant::kPaper};

/// Step by step from below, without any short cut.
template <typename Theorem>
std::optional<Time> least_window(Theorem& theorem, std::size_t i, std::span<const Time> responses,
                                 Time limit) {
  Time window = Time::from_ns(1);
  for (;;) {
    const Time need = sum(theorem.right_hand_side(i, responses, window));
    if (need > limit) return std::nullopt;
    if (need == window) return window;
    window = need;
  }
}

/// How many windows were found, and how many not.
struct Tally {
  int found = 0, none = 0;
};

template <typename Theorem, typename Fast>
void compare(const Inquiry& inquiry, Tally& tally) {
  Theorem theorem;
  theorem.begin(inquiry);
  Fast fast;
  fast.begin(inquiry);
  std::vector<Time> responses(inquiry.set.real_time);
  for (std::size_t i = 0; i < inquiry.set.real_time; ++i) {
    const GpuTask& task = inquiry.set.tasks[i];
    const FixedPoint found = fast.window_of(i, responses);
    const auto window = least_window(theorem, i, responses, task.limit());
    ASSERT_EQ(found.found(), window.has_value()) << "task " << i;
    if (window) {
      ASSERT_EQ(found.window, *window) << "task " << i;
    }
    ++(window ? tally.found : tally.none);
    responses[i] = window ? bound_from(task, found).response.value : task.deadline;
  }
}

template <typename Compare>
void in_random_systems(std::uint64_t seed, Compare compare) {
  const int systems = scaled(3'000);
  const Options options;
  Tally tally;
  for (int index = 0; index < systems && !testing::Test::HasFailure(); ++index) {
    Random random(seed, static_cast<std::uint64_t>(index));
    const System system = random_system_with_default_gpu_priorities(random);
    FamilyView view;
    make_view(system, view);
    SCOPED_TRACE("system " + std::to_string(index));
    for (const Mode mode : {Mode::kSuspend, Mode::kBusy}) {
      for (const Variant variant : kReadings) {
        compare(Inquiry{system, options, view.set, mode, variant}, tally);
      }
    }
  }
  EXPECT_GT(tally.found, systems);
  EXPECT_GT(tally.none, systems / 10);
}

TEST(FastForms, FindWhatTheTheoremOfMpcpSays) { in_random_systems(70, compare<Mpcp, FastMpcp>); }
TEST(FastForms, FindWhatTheTheoremOfFmlpSays) { in_random_systems(71, compare<Fmlp, FastFmlp>); }

TEST(FastForms, FindWhatTheTheoremOfGcapsSays) {
  in_random_systems(72, [](const Inquiry& inquiry, Tally& tally) {
    ResponsesInOrder::Memory memory;
    for (std::size_t i = 0; i < inquiry.set.real_time; ++i) {
      memory.gpu_level.push_back(inquiry.set.tasks[i].gpu_priority);
    }
    GcapsTest theorem(inquiry, /*terms=*/false), behind(inquiry, /*terms=*/false);
    ResponsesInOrder fast(inquiry.set, behind, memory);
    std::vector<Time> responses(inquiry.set.real_time);
    for (std::size_t i = 0; i < inquiry.set.real_time; ++i) {
      const FixedPoint expected = theorem.bound_of(i, memory.gpu_level, responses).response;
      const FixedPoint found = fast(i, responses);
      ASSERT_EQ(found.outcome, expected.outcome) << "task " << i;
      if (found.found()) {
        ASSERT_EQ(found.value, expected.value) << "task " << i;
      }
      ++(found.found() ? tally.found : tally.none);
      responses[i] = found.found() ? found.value : inquiry.set.tasks[i].deadline;
    }
  });
}

}  // namespace
}  // namespace tactus::gcaps::tests
