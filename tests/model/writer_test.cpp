#include "tactus/model/writer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tactus/model/format.hpp"
#include "tests/model/marked_text.hpp"
#include "tests/model/random_system.hpp"

namespace tactus {
namespace {

System read_back(const std::string& text) {
  ReadResult result = read_system(text);
  EXPECT_EQ(complaints_but_idle(result), std::vector<std::string>{}) << text;
  return result.system ? std::move(*result.system) : System{};
}

TEST(Writer, WritesTheCanonicalForm) {
  const System system = read_back(R"({ // keys in any order
    "tasks": [{"nodes": [{"on": "cpu", "wcet": 1.50, "name": "a", "bcet": 0}, {"name": "b", "on": "cpu"}],
               "edges": [["a", "b"]], "deadline": 20, "period": 20.0, "name": "t"}],
    "platform": {"elements": [{"units": 2, "lanes": 1, "kind": "cpu", "name": "cpu"}]},
    "tactus": 1, "$schema": "ignored", "batches": []})");
  EXPECT_EQ(write_system(system), R"({
  "tactus": 1,
  "time_unit": "ms",
  "platform": {
    "elements": [
      {
        "name": "cpu",
        "kind": "cpu",
        "units": 2
      }
    ]
  },
  "tasks": [
    {
      "name": "t",
      "period": 20,
      "nodes": [
        {
          "name": "a",
          "on": "cpu",
          "wcet": 1.5
        },
        {
          "name": "b",
          "on": "cpu"
        }
      ]
    }
  ]
}
)");
}

TEST(Writer, GivesBackEverySystemAndIsAFixedPoint) {
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    Random random(6, i);
    const System system = random_system(random);
    const std::string text = write_system(system), line = write_system_line(system);
    ASSERT_EQ(line.find('\n'), line.size() - 1);
    const System back = read_back(text), back_from_line = read_back(line);
    ASSERT_TRUE(back == system && back_from_line == system) << "system " << i << "\n" << text;
    ASSERT_EQ(write_system(back), text);
    ASSERT_EQ(write_system_line(back), line);
  }
}

/// Counts the objects and keys of the format as they occur in written systems.
template <typename Owner>
void expect_every_key(const std::string& all, const char* object) {
  for (const Field<Owner>& field : fields<Owner>()) {
    if (field.key == "$schema") continue;  // read and ignored
    EXPECT_NE(all.find(fmt::format("\"{}\":", field.key)), std::string::npos)
        << object << " never has " << field.key;
  }
}

TEST(RandomSystem, UsesEveryAttributeOfTheFormat) {
  std::string all;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Random random(7, i);
    all += write_system_line(random_system(random));
  }
  expect_every_key<System>(all, "a system");
  expect_every_key<Element>(all, "an element");
  expect_every_key<SmLimits>(all, "sm");
  expect_every_key<Task>(all, "a task");
  expect_every_key<Node>(all, "a node");
  expect_every_key<Interference>(all, "interference");
  expect_every_key<Batch>(all, "a batch");
  expect_every_key<Chain>(all, "a chain");
  expect_every_key<TimesEntry>(all, "an entry of times");
  expect_every_key<Measured>(all, "measured");
  expect_every_key<Deploy>(all, "deploy");
  expect_every_key<Command>(all, "command");
}

/// A system in which every attribute is set to something else than its default.
System full_system() {
  return read_back(R"({
  "tactus": 1, "name": "full", "note": "words", "time_unit": "us",
  "platform": {"elements": [
    {"name": "cpu", "kind": "cpu", "units": 4},
    {"name": "gpu", "kind": "gpu", "units": 8, "lanes": 32,
     "sm": {"threads": 1024, "blocks": 16, "registers": 65536, "shared_memory": 49152},
     "t_min": 1, "time_slice": 2, "context_switch": 3, "runlist_update": 4,
     "preemption_delay": 5, "preempt_cost": 6, "resume_cost": 7, "start_cost": 8,
     "arbiter_core": 3},
    {"name": "copy", "kind": "copy", "units": 1, "sharing": "shared"}]},
  "tasks": [
    {"name": "a", "period": 100, "deadline": 90, "offset": 5, "jitter": 3, "priority": 7,
     "gpu_priority": 8,
     "core": 2, "wait": "busy", "best_effort": true,
     "command": {"argv": ["run", "-v"], "cwd": "/opt", "env": {"A": "1"}, "user": "robot"},
     "nodes": [
       {"name": "k", "on": "gpu", "wcet": 10, "bcet": 9, "parallelism": 2, "load": 30,
        "load_min": 20, "overhead": 6, "interleave": 1.5, "slowdown": 1.25, "launch": 1,
        "overlap": 0.5, "blocks": 3, "threads": 64, "registers": 32, "shared_memory": 1000,
        "gpu_threshold": 9},
       {"name": "l", "on": "cpu"}, {"name": "m", "on": "cpu"}],
     "edges": [["k", "l"], ["k", "m"]]},
    {"name": "b", "nodes": [{"name": "k", "on": "gpu", "wcet": 9, "bcet": 2,
     "times": [{"units": 2, "wcet": 20, "bcet": 15}, {"units": 4, "wcet": 12}],
     "measured": {"runs": 1000, "alone": 8, "worst": 9, "enemy": "atomics", "margin": 0.1,
                  "on": "a GPU", "date": "2026-11-15"}}]},
    {"name": "c", "after": "a", "nodes": [{"name": "k", "on": "cpu"}]}],
  "chains": [{"name": "end to end", "tasks": ["a", "b"], "reaction": 500, "age": 600,
              "phases": "fixed"}],
  "deploy": {"method": "gcaps.suspend", "variant": "safe-arbiter"},
  "interference": {"model": "table", "factor": 1.5},
  "batches": [{"tasks": ["a", "b"], "completion": 40, "ordered": true},
              {"tasks": ["b", "a"], "forbid": true}]})");
}

TEST(Fingerprint, ChangesWithEveryAttribute) {
  using Change = std::function<void(System&)>;
  const std::map<std::string, Change> changes = {
      {"name", [](System& s) { s.name += "x"; }},
      {"note", [](System& s) { s.note += "x"; }},
      {"time_unit", [](System& s) { s.time_unit = TimeUnit::kNs; }},
      {"element.name", [](System& s) { s.platform.elements[1].name += "x"; }},
      {"element.kind", [](System& s) { s.platform.elements[1].kind = ElementKind::kCopy; }},
      {"element.units", [](System& s) { ++s.platform.elements[1].units; }},
      {"element.lanes", [](System& s) { ++s.platform.elements[1].lanes; }},
      {"element.sm", [](System& s) { s.platform.elements[1].sm.reset(); }},
      {"sm.threads", [](System& s) { ++*s.platform.elements[1].sm->threads; }},
      {"sm.blocks", [](System& s) { ++*s.platform.elements[1].sm->blocks; }},
      {"sm.registers", [](System& s) { ++*s.platform.elements[1].sm->registers; }},
      {"sm.shared_memory", [](System& s) { ++*s.platform.elements[1].sm->shared_memory; }},
      {"element.t_min", [](System& s) { *s.platform.elements[1].t_min += Time::from_ns(1); }},
      {"element.time_slice",
       [](System& s) { *s.platform.elements[1].time_slice += Time::from_ns(1); }},
      {"element.context_switch",
       [](System& s) { *s.platform.elements[1].context_switch += Time::from_ns(1); }},
      {"element.runlist_update",
       [](System& s) { *s.platform.elements[1].runlist_update += Time::from_ns(1); }},
      {"element.preemption_delay",
       [](System& s) { *s.platform.elements[1].preemption_delay += Time::from_ns(1); }},
      {"element.preempt_cost",
       [](System& s) { *s.platform.elements[1].preempt_cost += Time::from_ns(1); }},
      {"element.resume_cost",
       [](System& s) { *s.platform.elements[1].resume_cost += Time::from_ns(1); }},
      {"element.start_cost",
       [](System& s) { *s.platform.elements[1].start_cost += Time::from_ns(1); }},
      {"element.arbiter_core", [](System& s) { ++*s.platform.elements[1].arbiter_core; }},
      {"element.sharing",
       [](System& s) { s.platform.elements[2].sharing = CopySharing::kExclusive; }},
      {"element.sharing absent", [](System& s) { s.platform.elements[2].sharing.reset(); }},
      {"element order",
       [](System& s) { std::swap(s.platform.elements[0].name, s.platform.elements[1].name); }},
      {"task.name", [](System& s) { s.tasks[0].name += "x"; }},
      {"task.period", [](System& s) { *s.tasks[0].period += Time::from_ns(1); }},
      {"task.deadline", [](System& s) { *s.tasks[0].deadline += Time::from_ns(1); }},
      {"task.offset", [](System& s) { s.tasks[0].offset += Time::from_ns(1); }},
      {"task.jitter", [](System& s) { s.tasks[0].jitter += Time::from_ns(1); }},
      {"task.after", [](System& s) { s.tasks[2].after = 1; }},
      {"task.after absent", [](System& s) { s.tasks[2].after.reset(); }},
      {"chains", [](System& s) { s.chains.clear(); }},
      {"chain.name", [](System& s) { s.chains[0].name += "x"; }},
      {"chain.tasks", [](System& s) { std::swap(s.chains[0].tasks[0], s.chains[0].tasks[1]); }},
      {"chain.reaction", [](System& s) { *s.chains[0].reaction += Time::from_ns(1); }},
      {"chain.age", [](System& s) { s.chains[0].age.reset(); }},
      {"chain.phases", [](System& s) { s.chains[0].phases = Chain::Phases::kAny; }},
      {"task.priority", [](System& s) { ++*s.tasks[0].priority; }},
      {"task.gpu_priority", [](System& s) { ++*s.tasks[0].gpu_priority; }},
      {"task.core", [](System& s) { ++*s.tasks[0].core; }},
      {"task.wait", [](System& s) { s.tasks[0].wait = WaitMode::kSuspend; }},
      {"task.wait absent", [](System& s) { s.tasks[0].wait.reset(); }},
      {"task.best_effort", [](System& s) { s.tasks[0].best_effort = false; }},
      {"task.command", [](System& s) { s.tasks[0].command.reset(); }},
      {"command.argv", [](System& s) { s.tasks[0].command->argv.pop_back(); }},
      {"command.cwd", [](System& s) { *s.tasks[0].command->cwd += "x"; }},
      {"command.env", [](System& s) { s.tasks[0].command->env.clear(); }},
      {"command.env.name", [](System& s) { s.tasks[0].command->env[0].name += "x"; }},
      {"command.env.value", [](System& s) { s.tasks[0].command->env[0].value += "x"; }},
      {"command.user", [](System& s) { *s.tasks[0].command->user += "x"; }},
      {"task.edges",
       [](System& s) {
         s.tasks[0].graph = Graph(3, {{0, 1}, {1, 2}, {0, 2}});
       }},
      {"task.edges chain", [](System& s) { s.tasks[0].graph = Graph::chain(3); }},
      {"task order", [](System& s) { std::swap(s.tasks[0], s.tasks[1]); }},
      {"node.name", [](System& s) { s.tasks[0].nodes[0].name += "x"; }},
      {"node.on", [](System& s) { s.tasks[0].nodes[0].on = 0; }},
      {"node.wcet", [](System& s) { *s.tasks[0].nodes[0].wcet += Time::from_ns(1); }},
      {"node.bcet", [](System& s) { s.tasks[0].nodes[0].bcet += Time::from_ns(1); }},
      {"node.parallelism", [](System& s) { ++*s.tasks[0].nodes[0].parallelism; }},
      {"node.load", [](System& s) { *s.tasks[0].nodes[0].load += Time::from_ns(1); }},
      {"node.load_min", [](System& s) { s.tasks[0].nodes[0].load_min += Time::from_ns(1); }},
      {"node.overhead", [](System& s) { s.tasks[0].nodes[0].overhead += Time::from_ns(1); }},
      {"node.interleave", [](System& s) { ++s.tasks[0].nodes[0].interleave->billionths; }},
      {"node.slowdown", [](System& s) { ++s.tasks[0].nodes[0].slowdown->billionths; }},
      {"node.launch", [](System& s) { s.tasks[0].nodes[0].launch += Time::from_ns(1); }},
      {"node.overlap", [](System& s) { s.tasks[0].nodes[0].overlap += Time::from_ns(1); }},
      {"node.blocks", [](System& s) { ++*s.tasks[0].nodes[0].blocks; }},
      {"node.threads", [](System& s) { ++*s.tasks[0].nodes[0].threads; }},
      {"node.registers", [](System& s) { ++*s.tasks[0].nodes[0].registers; }},
      {"node.shared_memory", [](System& s) { ++*s.tasks[0].nodes[0].shared_memory; }},
      {"node.gpu_threshold", [](System& s) { ++*s.tasks[0].nodes[0].gpu_threshold; }},
      {"node.times", [](System& s) { s.tasks[1].nodes[0].times.pop_back(); }},
      {"times.units", [](System& s) { ++s.tasks[1].nodes[0].times[0].units; }},
      {"times.wcet", [](System& s) { s.tasks[1].nodes[0].times[0].wcet += Time::from_ns(1); }},
      {"times.bcet", [](System& s) { s.tasks[1].nodes[0].times[0].bcet += Time::from_ns(1); }},
      {"node.measured", [](System& s) { s.tasks[1].nodes[0].measured.reset(); }},
      {"measured.runs", [](System& s) { ++*s.tasks[1].nodes[0].measured->runs; }},
      {"measured.alone",
       [](System& s) { *s.tasks[1].nodes[0].measured->alone += Time::from_ns(1); }},
      {"measured.worst",
       [](System& s) { *s.tasks[1].nodes[0].measured->worst += Time::from_ns(1); }},
      {"measured.enemy", [](System& s) { *s.tasks[1].nodes[0].measured->enemy += "x"; }},
      {"measured.margin", [](System& s) { ++s.tasks[1].nodes[0].measured->margin->billionths; }},
      {"measured.on", [](System& s) { *s.tasks[1].nodes[0].measured->on += "x"; }},
      {"measured.date", [](System& s) { *s.tasks[1].nodes[0].measured->date += "x"; }},
      {"deploy", [](System& s) { s.deploy.reset(); }},
      {"deploy.method", [](System& s) { s.deploy->method += "x"; }},
      {"deploy.variant", [](System& s) { s.deploy->variant.reset(); }},
      {"interference", [](System& s) { s.interference.reset(); }},
      {"interference.model",
       [](System& s) { s.interference->model = InterferenceModel::kSlowdown; }},
      {"interference.factor", [](System& s) { ++s.interference->factor->billionths; }},
      {"batch.tasks", [](System& s) { std::swap(s.batches[0].tasks[0], s.batches[0].tasks[1]); }},
      {"batch.completion", [](System& s) { *s.batches[0].completion += Time::from_ns(1); }},
      {"batch.ordered", [](System& s) { s.batches[0].ordered = false; }},
      {"batch.forbid", [](System& s) { s.batches[1].forbid = false; }},
  };
  const System system = full_system();
  std::map<std::string, std::string> seen = {{fingerprint(system), "nothing"}};
  for (const auto& [attribute, change] : changes) {
    System changed = system;
    change(changed);
    const auto [entry, fresh] = seen.emplace(fingerprint(changed), attribute);
    EXPECT_TRUE(fresh) << attribute << " hashes like " << entry->second;
  }
}

TEST(Fingerprint, IgnoresLayoutCommentsKeyOrderAndEdgeOrder) {
  const std::string plain = R"({"tactus": 1, "platform": {"elements": [
    {"name": "cpu", "kind": "cpu", "units": 2}]}, "tasks": [{"name": "t", "period": 0.5, "nodes": [
    {"name": "a", "on": "cpu"}, {"name": "b", "on": "cpu"}, {"name": "c", "on": "cpu"}],
    "edges": [["a", "b"], ["a", "c"]]}]})";
  const std::string other = R"(// words
{ "tasks" :[{"edges" :[["a","c"] , /* first */ ["a","b"]], "period":5e-1,"deadline":0.50,
  "nodes":[{"on":"cpu","name":"\u0061"},{"on":"cpu","name":"b","bcet":0},{"on":"cpu","name":"c"}],
  "name":"t","best_effort":false}], "time_unit":"ms",
  "platform":{"elements":[{"units":2.0,"kind":"cpu","name":"cpu","lanes":1}]}, "tactus":1})";
  EXPECT_EQ(fingerprint(read_back(plain)), fingerprint(read_back(other)));
  EXPECT_EQ(read_back(plain), read_back(other));
}

TEST(Fingerprint, IsTheSameOnEveryMachineAndVersion) {
  // FNV-1a of {"tactus":1,"time_unit":"ms","platform":{"elements":[]},"tasks":[]} and a newline,
  // computed elsewhere: plans that are stored must keep fitting their systems.
  EXPECT_EQ(fingerprint(System{}), "1552093ed35453b4");
}

}  // namespace
}  // namespace tactus
