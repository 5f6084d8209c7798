// A system that a program has built is checked by the rules of the reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tactus/model/codec.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/model/random_system.hpp"

namespace tactus {
namespace {

std::vector<std::string> messages(const ReadResult& result) {
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : result.diagnostics) all.push_back(diagnostic.message);
  std::sort(all.begin(), all.end());
  return all;
}

TEST(CheckSystem, AcceptsWhatTheReaderAccepts) {
  Random random(1, 0);
  for (int round = 0; round < 2000; ++round) {
    const System system = random_system(random);
    const ReadResult checked = check_system(system), read = read_system(write_system(system));
    ASSERT_TRUE(checked.system) << messages(checked).front() << write_system(system);
    EXPECT_EQ(messages(checked), messages(read));
    EXPECT_EQ(*checked.system, *read.system) << write_system(system);
  }
}

System two_tasks() {
  System system;
  Element cpu, gpu;
  cpu.name = "cpu";
  cpu.units = 4;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = 8;
  system.platform.elements = {cpu, gpu};
  for (const char* name : {"a", "b"}) {
    Task task;
    task.name = name;
    task.period = Time::from_ms(10);
    task.priority = static_cast<std::int64_t>(system.tasks.size()) + 1;
    for (const char* part : {"k", "l", "m"}) {
      Node node;
      node.name = part;
      node.on = 1;
      node.wcet = Time::from_ms(2);
      task.nodes.push_back(node);
    }
    system.tasks.push_back(task);
  }
  return system;
}

TEST(CheckSystem, FillsInWhatAFileMayLeaveOut) {
  const ReadResult checked = check_system(two_tasks());
  ASSERT_TRUE(checked.system);
  EXPECT_EQ(checked.system->tasks[0].deadline, Time::from_ms(10));
  EXPECT_EQ(checked.system->tasks[0].graph, Graph::chain(3));
  System apart = two_tasks();
  apart.tasks[0].graph = Graph(3, {});
  EXPECT_EQ(check_system(apart).system->tasks[0].graph, Graph(3, {})) << "given: no edges";
}

/// A way to spoil a system; false where this one cannot be spoilt so.
using Spoil = std::function<bool(System&, Random&)>;

std::size_t below(Random& random, std::size_t count) {
  return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(count) - 1));
}

Spoil on_element(std::function<void(Element&)> change) {
  return [=](System& system, Random& random) {
    auto& elements = system.platform.elements;
    if (elements.empty()) return false;
    change(elements[below(random, elements.size())]);
    return true;
  };
}
Spoil on_task(std::function<bool(Task&)> change) {
  return [=](System& system, Random& random) {
    if (system.tasks.empty()) return false;
    Task& task = system.tasks[below(random, system.tasks.size())];
    return !task.nodes.empty() && change(task);
  };
}
Spoil on_node(std::function<bool(Node&)> change) {
  return on_task([=](Task& task) { return change(task.nodes.back()); });
}
Spoil on_batch(std::function<bool(Batch&)> change) {
  return [=](System& system, Random& random) {
    return !system.batches.empty() && change(system.batches[below(random, system.batches.size())]);
  };
}

Spoil on_command(std::function<void(Command&)> change) {
  return [=](System& system, Random& random) {
    if (system.tasks.empty()) return false;
    Rare<Command>& command = system.tasks[below(random, system.tasks.size())].command;
    if (!command) command = Command{{"run"}, {}, {}, {}, {}};
    change(*command);
    return true;
  };
}

const Time kNegative = Time::from_ns(-4'500'000);

const std::map<std::string, Spoil> kSpoils = {
    {"element without name", on_element([](Element& e) { e.name.clear(); })},
    {"element with a control character", on_element([](Element& e) { e.name = "a\x1b[31m"; })},
    {"element with an endless name", on_element([](Element& e) { e.name.assign(1001, 'x'); })},
    {"element without units", on_element([](Element& e) { e.units = 0; })},
    {"element with too many lanes", on_element([](Element& e) { e.lanes = codec::kMaxCount + 1; })},
    {"SM without threads", on_element([](Element& e) {
       e.sm = SmLimits{};
       e.sm->threads = 0;
     })},
    {"t_min of 0", on_element([](Element& e) { e.t_min = Time(); })},
    {"negative context switch", on_element([](Element& e) { e.context_switch = kNegative; })},
    {"negative preemption delay", on_element([](Element& e) { e.preemption_delay = kNegative; })},
    {"negative start cost", on_element([](Element& e) { e.start_cost = kNegative; })},
    {"arbiter on a core that is not there",
     [](System& system, Random& random) {
       auto& elements = system.platform.elements;
       for (Element& element : elements) element.units = std::min<std::int64_t>(element.units, 99);
       if (elements.empty()) return false;
       elements[below(random, elements.size())].arbiter_core = 100;
       return true;
     }},
    {"sharing of what makes no copies",
     [](System& system, Random&) {
       for (Element& element : system.platform.elements) {
         if (element.kind == ElementKind::kCopy) continue;
         element.sharing = CopySharing::kShared;
         return true;
       }
       return false;
     }},
    {"task on a core that is not there",
     [](System& system, Random& random) {
       std::int64_t cores = 1;
       for (const Element& element : system.platform.elements) {
         if (element.kind == ElementKind::kCpu) cores = std::max(cores, element.units);
       }
       if (system.tasks.empty() || cores == codec::kMaxCount) return false;
       system.tasks[below(random, system.tasks.size())].core = cores + 1;
       return true;
     }},
    {"two elements of one name",
     [](System& system, Random&) {
       auto& elements = system.platform.elements;
       if (elements.size() < 2) return false;
       system.tasks.clear();  // a name would mean the first of the two
       system.batches.clear();
       system.chains.clear();
       elements.back().name = elements.front().name;
       return true;
     }},
    {"two tasks of one name",
     [](System& system, Random&) {
       if (system.tasks.size() < 2) return false;
       system.batches.clear();
       system.chains.clear();
       system.tasks.back().name = system.tasks.front().name;
       return true;
     }},
    {"two nodes of one name", on_task([](Task& task) {
       if (task.nodes.size() < 2) return false;
       task.graph = Graph::chain(task.graph.size());
       task.nodes.back().name = task.nodes.front().name;
       return true;
     })},
    {"two tasks of one priority",
     [](System& system, Random&) {
       if (system.tasks.size() < 2) return false;
       for (Task* task : {&system.tasks.front(), &system.tasks.back()}) {
         task->best_effort = false;
         task->priority = 7;
       }
       return true;
     }},
    {"period of 0", on_task([](Task& task) {
       task.period = Time();
       task.deadline = Time::from_ms(1);
       return true;
     })},
    {"negative deadline", on_task([](Task& task) {
       task.deadline = kNegative;
       return true;
     })},
    {"negative offset", on_task([](Task& task) {
       task.offset = kNegative;
       return true;
     })},
    {"core 0", on_task([](Task& task) {
       task.core = 0;
       return true;
     })},
    {"task without nodes",
     [](System& system, Random& random) {
       if (system.tasks.empty()) return false;
       system.batches.clear();
       system.chains.clear();
       Task& task = system.tasks[below(random, system.tasks.size())];
       task.nodes.clear();
       task.graph = Graph();
       return true;
     }},
    {"edges in a cycle", on_task([](Task& task) {
       if (task.nodes.size() < 2) return false;
       task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), {{0, 1}, {1, 0}});
       return true;
     })},
    {"edge to itself", on_task([](Task& task) {
       task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), {{0, 0}});
       return true;
     })},
    {"edge twice", on_task([](Task& task) {
       if (task.nodes.size() < 2) return false;
       task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), {{0, 1}, {0, 1}});
       return true;
     })},
    {"negative wcet", on_node([](Node& node) {
       node.wcet = kNegative;
       return true;
     })},
    {"bcet above wcet", on_node([](Node& node) {
       node.wcet = Time::from_ms(1);
       node.bcet = Time::from_ms(2);
       return true;
     })},
    {"overhead above load", on_node([](Node& node) {
       node.times.clear();
       node.load = Time::from_ms(1);
       node.overhead = Time::from_ms(2);
       return true;
     })},
    {"overlap above launch", on_node([](Node& node) {
       node.launch = Time::from_ms(1);
       node.overlap = Time::from_ms(2);
       return true;
     })},
    {"negative load_min", on_node([](Node& node) {
       node.times.clear();
       node.load_min = kNegative;
       return true;
     })},
    {"parallelism 0", on_node([](Node& node) {
       node.times.clear();
       node.parallelism = 0;
       return true;
     })},
    {"slowdown below 1", on_node([](Node& node) {
       node.slowdown = Factor{500'000'000};
       return true;
     })},
    {"negative margin", on_node([](Node& node) {
       node.measured = Measured{};
       node.measured->margin = Margin{-1};
       return true;
     })},
    {"registers below 0", on_node([](Node& node) {
       node.registers = -1;
       return true;
     })},
    {"times that do not rise", on_node([](Node& node) {
       if (node.times.empty()) return false;
       node.times.push_back(node.times.back());
       return true;
     })},
    {"times beside load", on_node([](Node& node) {
       if (node.times.empty()) return false;
       node.load = Time::from_ms(1);
       return true;
     })},
    {"times with bcet above wcet", on_node([](Node& node) {
       if (node.times.empty()) return false;
       node.times.front().wcet = Time();
       node.times.front().bcet = Time::from_ms(2);
       return true;
     })},
    {"times on units that are not there",
     [](System& system, Random&) {
       for (Task& task : system.tasks) {
         for (Node& node : task.nodes) {
           if (node.times.empty()) continue;
           Element& element = system.platform.elements[node.on];
           element.units = node.times.back().units;
           node.times.back().units += 1;
           return element.units < codec::kMaxCount;
         }
       }
       return false;
     }},
    {"times on a cpu",
     [](System& system, Random&) {
       for (Task& task : system.tasks) {
         for (Node& node : task.nodes) {
           if (node.times.empty()) continue;
           for (ElementIndex i = 0; i < system.platform.elements.size(); ++i) {
             if (system.platform.elements[i].kind == ElementKind::kGpu) continue;
             node.on = i;
             return true;
           }
         }
       }
       return false;
     }},
    {"batch of nobody", on_batch([](Batch& batch) {
       batch.tasks.clear();
       return true;
     })},
    {"batch with a task twice", on_batch([](Batch& batch) {
       if (batch.tasks.empty()) return false;
       batch.tasks.push_back(batch.tasks.front());
       return true;
     })},
    {"batch that is allowed and forbidden", on_batch([](Batch& batch) {
       batch.completion = Time::max();
       batch.forbid = true;
       return true;
     })},
    {"batch of which nothing is said", on_batch([](Batch& batch) {
       batch.completion.reset();
       batch.forbid = false;
       return true;
     })},
    {"batch twice",
     [](System& system, Random&) {
       if (system.batches.empty()) return false;
       system.batches.push_back(system.batches.front());
       return true;
     }},
    {"batches where kernels run alone",
     [](System& system, Random&) {
       if (system.batches.empty()) return false;
       system.interference = Interference{};
       system.interference->model = InterferenceModel::kNone;
       return true;
     }},
    {"command without a program", on_command([](Command& command) { command.argv.clear(); })},
    {"command with an empty program",
     on_command([](Command& command) { command.argv.front().clear(); })},
    {"command with a NUL",
     on_command([](Command& command) { command.argv.emplace_back(1, '\0'); })},
    {"variable without a name", on_command([](Command& command) {
       command.env.push_back({"", "x"});
     })},
    {"variable with a NUL", on_command([](Command& command) {
       command.env.push_back({"N", std::string(1, '\0')});
     })},
    {"variable twice", on_command([](Command& command) {
       command.env.push_back({"N", "1"});
       command.env.push_back({"N", "2"});
     })},
    {"factor below 1",
     [](System& system, Random&) {
       system.interference = Interference{};
       system.interference->factor = Factor{0};
       return true;
     }},
};

/// Whatever is wrong, the reader says the same of the file.
TEST(CheckSystem, FindsTheSameProblemsAsTheReader) {
  for (const auto& [what, spoil] : kSpoils) {
    Random random(7, 0);
    int spoilt = 0;
    for (int round = 0; round < 300; ++round) {
      System system = random_system(random);
      if (!spoil(system, random)) continue;
      const ReadResult checked = check_system(system);
      const ReadResult read = read_system(write_system(system));
      EXPECT_FALSE(checked.system) << what << " is accepted: " << write_system(system);
      ASSERT_EQ(messages(checked), messages(read)) << what << ": " << write_system(system);
      ++spoilt;
    }
    EXPECT_GT(spoilt, 20) << what << " was hardly tried";
  }
}

TEST(CheckSystem, FindsSeveralProblemsAtOnce) {
  Random random(8, 0);
  for (int round = 0; round < 500; ++round) {
    System system = random_system(random);
    for (int k = 0; k < 3; ++k) {
      std::next(kSpoils.begin(), static_cast<int>(below(random, kSpoils.size())))
          ->second(system, random);
    }
    EXPECT_EQ(check_system(system).system.has_value(),
              read_system(write_system(system)).system.has_value())
        << write_system(system);
  }
}

std::vector<std::string> refusals(System system) { return messages(check_system(system)); }

/// What no file can say.
TEST(CheckSystem, RefusesIndicesAndTextsThatNoFileCanHold) {
  using Told = std::vector<std::string>;
  System system = two_tasks();
  system.tasks[1].nodes[0].on = 2;
  EXPECT_EQ(refusals(system),
            Told{"task `b`: node `k`: there is no element with index 2; there are 2"});
  system = two_tasks();
  system.batches.emplace_back();
  system.batches.back().tasks = {0, 9};
  system.batches.back().completion = Time::from_ms(9);
  EXPECT_EQ(refusals(system), Told{"batches[0]: there is no task with index 9; there are 2"});
  system = two_tasks();
  system.tasks[0].graph = Graph::chain(2);
  EXPECT_EQ(refusals(system), Told{"task `a`: the graph has 2 nodes, the task 3"});
  system = two_tasks();
  system.platform.elements[0].kind = static_cast<ElementKind>(3);
  EXPECT_EQ(
      refusals(system),
      Told{"platform: element `cpu`: `kind` must be one of cpu copy gpu, got number 3 of them"});
  system = two_tasks();
  system.note = "\xff";
  EXPECT_EQ(refusals(system).size(), 1u);
  system = two_tasks();
  system.tasks[0].name = "\xc3(";
  EXPECT_EQ(refusals(system).size(), 1u);
}

TEST(CheckSystem, PointsToWhereThingsCameFrom) {
  const std::string text = R"({"tactus": 1, "platform": {"elements": [
  {"name": "gpu", "kind": "gpu", "units": 8}]},
  "tasks": [{"name": "t", "period": 9, "nodes": [
    {"name": "k", "on": "gpu", "wcet": 2}]}]})";
  System system = *read_system(text).system;
  system.tasks[0].nodes[0].bcet = Time::from_ms(3);
  system.tasks[0].period = Time();
  const ReadResult checked = check_system(system);
  ASSERT_EQ(checked.diagnostics.size(), 2u);
  EXPECT_EQ(to_string(checked.diagnostics[0], "x"),
            "x:3:13: task `t`: `period` must be a time > 0, got 0");
  EXPECT_EQ(to_string(checked.diagnostics[1], "x"),
            "x:4:5: task `t`: node `k`: `bcet` (3) exceeds `wcet` (2)");
}

TEST(CheckSystem, TellsNoMoreThanAPersonReads) {
  System system = two_tasks();
  system.platform.elements.resize(50);  // without names
  const ReadResult checked = check_system(system);
  EXPECT_FALSE(checked.system);
  EXPECT_EQ(checked.diagnostics.size(), 21u);
}

}  // namespace
}  // namespace tactus
