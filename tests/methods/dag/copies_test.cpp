#include <gtest/gtest.h>

#include "tactus/methods/dag/check_plan.hpp"
#include "tactus/methods/dag/dag_methods.hpp"
#include "tests/methods/dag/sample.hpp"
#include "tests/support/read.hpp"

/// Copies before and after all kernels (Section 2 and Figure 1 of the paper): steps of their own.
namespace tactus::dag {
namespace {

constexpr std::string_view kMethods[] = {"dag.balanced", "dag.greedy", "dag.greedy-unaware",
                                         "dag.graham"};

/// The system with `before` and `after` around its kernels, in milliseconds; the copies are listed
/// before the kernels.
System with_copies(System system, std::span<const std::int64_t> before,
                   std::span<const std::int64_t> after) {
  Element engine;
  engine.name = "copy";
  engine.kind = ElementKind::kCopy;
  system.platform.elements.push_back(engine);
  Task& task = system.tasks.front();
  std::vector<Node> nodes;
  for (const auto& some : {before, after}) {
    for (const std::int64_t time : some) {
      Node& copy = nodes.emplace_back();
      copy.name = "copy" + std::to_string(nodes.size());
      copy.on = static_cast<ElementIndex>(system.platform.elements.size() - 1);
      copy.wcet = Time::from_ms(time);
    }
  }
  const auto copies = static_cast<NodeIndex>(nodes.size());
  const auto first_after = static_cast<NodeIndex>(before.size());
  std::vector<Edge> edges;
  for (NodeIndex c = 1; c < copies; ++c) {
    if (c != first_after) edges.emplace_back(c - 1, c);
  }
  for (const auto& [from, to] : task.graph.edges()) edges.emplace_back(from + copies, to + copies);
  for (NodeIndex k = 0; k < task.graph.size(); ++k) {
    if (task.graph.predecessors(k).empty() && first_after > 0) {
      edges.emplace_back(first_after - 1, k + copies);
    }
    if (task.graph.successors(k).empty() && first_after < copies) {
      edges.emplace_back(k + copies, first_after);
    }
  }
  nodes.insert(nodes.end(), task.nodes.begin(), task.nodes.end());
  task.nodes = std::move(nodes);
  task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), edges);
  return system;
}

json::Document written(const System& system, std::string_view method, const Verdict& verdict) {
  json::Writer out;
  write_plan(out, system, method, verdict.variant, *verdict.plan);
  return std::get<json::Document>(json::Document::parse(out.take()));
}

TEST(Copies, AddTheirTimesToTheBoundAndToNothingElse) {
  for (std::uint64_t index = 0; index < sweep(2'000); ++index) {
    Random random(5, index);
    const Sample sample = random_sample(index);
    std::vector<std::int64_t> before(static_cast<std::size_t>(random.integer(0, 3)));
    std::vector<std::int64_t> after(static_cast<std::size_t>(random.integer(0, 2)));
    Time copying;
    for (auto* some : {&before, &after}) {
      for (std::int64_t& time : *some) copying += Time::from_ms(time = random.integer(0, 5));
    }
    const System plain = system_of(sample), system = with_copies(plain, before, after);
    const auto copies = before.size() + after.size();
    SCOPED_TRACE(describe(sample));
    for (const std::string_view id : kMethods) {
      const Method& method = *find_method(id);
      for (const std::string_view variant : method.variants) {
        Options options;
        options.variant = variant;
        const Verdict without = analyze(method, plain, options);
        const Verdict with = analyze(method, system, options);
        ASSERT_TRUE(with.plan) << with.reason;
        ASSERT_EQ(*with.tasks[0].bound, *without.tasks[0].bound + copying) << id << " " << variant;
        Time sum;
        for (const Term& term : with.tasks[0].terms) sum += term.amount;
        ASSERT_EQ(sum, *with.tasks[0].bound);
        const Schedule &inner = dynamic_cast<const DagPlan&>(*without.plan).schedule,
                       &all = dynamic_cast<const DagPlan&>(*with.plan).schedule;
        ASSERT_EQ(all.steps.size(), inner.steps.size() + copies);
        for (std::size_t k = 0; k < inner.kernels.size(); ++k) {
          const Kernel &one = inner.kernels[k], &same = all.kernels[before.size() + k];
          ASSERT_EQ(same.node, one.node + copies);
          ASSERT_EQ(same.m, one.m);
          ASSERT_EQ(same.c, one.c);
        }
        if (variant == kPaper) continue;
        const json::Document plan = written(system, id, with);
        const auto complaints = method.check_plan(system, plan.root());
        ASSERT_TRUE(complaints.empty()) << id << ": " << complaints[0];
      }
    }
  }
}

System between_two_copies() {
  return with_copies(system_of(sample_of(2, {2, 2}, {{0, 1}})), std::vector<std::int64_t>{3},
                     std::vector<std::int64_t>{1});
}

template <typename Change>
std::vector<std::string> complaints_after(std::string_view id, Change change) {
  const System system = between_two_copies();
  Verdict verdict = analyze(*find_method(id), system);
  DagPlan plan = dynamic_cast<const DagPlan&>(*verdict.plan);
  change(plan.schedule);
  verdict.plan = std::make_shared<DagPlan>(std::move(plan));
  return find_method(id)->check_plan(system, written(system, id, verdict).root());
}

TEST(Copies, OfAPlanAreChecked) {
  const auto nothing = [](Schedule&) {};
  const auto shorter = [](Schedule& plan) {
    plan.kernels[0].c = plan.steps[0].r = Time::from_ms(2);
    plan.bound -= Time::from_ms(1);
  };
  const auto on_an_sm = [](Schedule& plan) { plan.kernels[0].m = 1; };
  const auto late = [](Schedule& plan) {
    std::swap(plan.kernels[0], plan.kernels[1]);
    std::swap(plan.steps[0].r, plan.steps[1].r);
    std::swap(plan.steps[0].spare, plan.steps[1].spare);
  };
  for (const std::string_view id : {"dag.balanced", "dag.graham"}) {
    EXPECT_TRUE(complaints_after(id, nothing).empty());
    EXPECT_FALSE(complaints_after(id, shorter).empty()) << id;
    EXPECT_FALSE(complaints_after(id, on_an_sm).empty()) << id;
  }
  EXPECT_FALSE(complaints_after("dag.balanced", late).empty());
}

std::string refusal(std::string_view nodes, std::string_view edges, std::string_view more = "",
                    std::string_view sharing = "") {
  const System system = support::read(
      R"({"tactus":1,"name":"x","platform":{"elements":[{"name":"gpu","kind":"gpu","units":4},
          {"name":"dma","kind":"copy","units":1)" +
      std::string(sharing) + R"(}]},"tasks":[{"name":"t","nodes":[)" + std::string(nodes) +
      R"(],"edges":[)" + std::string(edges) + "]}" + std::string(more) + "]}");
  std::string reason = "?";
  for (const std::string_view id : kMethods) reason = analyze(*find_method(id), system).reason;
  return reason;
}

constexpr std::string_view kTwoCopies = R"({"name":"a","on":"dma","wcet":1},
    {"name":"b","on":"dma","wcet":1},{"name":"k","on":"gpu","load":2},{"name":"l","on":"gpu","load":2})";
constexpr std::string_view kAround = R"(["a","k"],["k","l"],["l","b"])";
constexpr std::string_view kOther = R"(,{"name":"u","nodes":[{"name":"c","on":"dma","wcet":1}]})";

TEST(Copies, MustComeOneByOneAroundAllKernels) {
  EXPECT_EQ(refusal(kTwoCopies, kAround), "");
  EXPECT_EQ(refusal(kTwoCopies, R"(["a","b"],["b","k"],["k","l"])"), "");
  const std::string between = refusal(kTwoCopies, R"(["a","k"],["k","b"],["b","l"])");
  EXPECT_NE(between.find("node `b` is on `dma`; these methods take copies that come one after"),
            std::string::npos)
      << between;
  const std::string side_by_side = refusal(kTwoCopies, R"(["a","k"],["b","k"],["k","l"])");
  EXPECT_NE(side_by_side.find("one after another"), std::string::npos) << side_by_side;
  const std::string past_a_kernel = refusal(kTwoCopies, R"(["a","k"],["a","b"],["k","l"])");
  EXPECT_NE(past_a_kernel.find("one after another"), std::string::npos) << past_a_kernel;
}

TEST(Copies, MustHaveAnEngineForThemselvesOrShareIt) {
  const std::string reason = refusal(kTwoCopies, kAround, kOther);
  EXPECT_NE(reason.find("so is task `u`"), std::string::npos) << reason;
  EXPECT_EQ(refusal(kTwoCopies, kAround, kOther, R"(,"sharing":"shared")"), "");
}

}  // namespace
}  // namespace tactus::dag
