#include <gtest/gtest.h>

#include "tactus/exchange/export.hpp"
#include "tests/exchange/importing.hpp"
#include "tests/support/read.hpp"

namespace tactus::exchange {
namespace {

/// A system as a drawing can keep it.
System drawable() {
  return support::read(R"({"tactus": 1, "name": "a \"drawing\" & <more>", "time_unit": "us",
    "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 4},
                              {"name": "copy", "kind": "copy", "units": 1},
                              {"name": "gpu", "kind": "gpu", "units": 30}]},
    "tasks": [{"name": "camera", "period": 80, "deadline": 70, "priority": 3, "core": 2,
      "nodes": [{"name": "pre\\process", "on": "cpu", "wcet": 2.5, "bcet": 1},
                {"name": "h2d", "on": "copy", "wcet": 0.5},
                {"name": "conv", "on": "gpu", "wcet": 4, "launch": 2, "parallelism": 8,
                 "blocks": 64, "threads": 128, "registers": 32, "shared_memory": 1024},
                {"name": "head", "on": "gpu", "load": 9, "overhead": 1}],
      "edges": [["pre\\process", "h2d"], ["h2d", "conv"], ["h2d", "head"]]},
     {"name": "motor", "period": 5, "priority": 9, "nodes": [{"name": "pid", "on": "cpu", "wcet": 1}]}
    ]})");
}

TEST(Drawings, SurviveBeingWrittenAndRead) {
  const System system = drawable();
  for (const char* format : {"dot", "graphml"}) {
    const auto exported = export_system(system, format);
    ASSERT_TRUE(exported);
    const Imported imported = good(import_text(exported->text, "", {}));
    EXPECT_EQ(imported.format, format);
    EXPECT_EQ(imported.system, system) << exported->text;
  }
}

TEST(Dot, OfAnotherToolGivesAGraph) {
  ImportOptions options;
  options.name = "dag";
  const Imported imported = good(import_text(R"(/* a task */ strict digraph G {
      rankdir=LR; node [shape=box, on=gpu];
      a [weight=3]; b [weight="4.5", color=red] // comment
      a -> b -> c; a:port -> d:n:e
      c [weight=1]; d [weight=2] })",
                                             "", options));
  const Task& task = imported.system.tasks.at(0);
  EXPECT_EQ(task.name, "G");
  ASSERT_EQ(task.nodes.size(), 4U);
  EXPECT_EQ(task.nodes[1].wcet, Time::from_us(4500));
  EXPECT_EQ(task.graph, Graph(4, {{0, 1}, {1, 2}, {0, 3}}));
  EXPECT_TRUE(notes_have(imported, "color, shape"));
  EXPECT_TRUE(notes_have(imported, "what `gpu` is"));
}

TEST(Dot, ThatIsWrongIsRefusedWithItsPlace) {
  const auto refuse = [](const std::string& text, const std::string& reason) {
    const std::string lines = bad(import_text(text, "dot", {}));
    EXPECT_NE(lines.find(reason), std::string::npos) << lines;
  };
  refuse("digraph G {\n a -> ; }", "source:2:7: expected a node behind `->`");
  refuse("digraph G { a -> b", "the file ends in the middle of a graph");
  refuse("digraph G { a [label=\"x }", "a text in quotes does not end");
  refuse("graph G { a -- b }", "has no directions");
  refuse("digraph G { a -> b -> a }", "cycle");
  refuse("digraph G { a -> a }", "precedes itself");
  refuse("digraph G { a [wcet=fast] }", "source:1:13: node `a`: `wcet` must be a time, got `fast`");
  refuse("digraph G { }", "there are no nodes");
  refuse("digraph G " + std::string(100, '{'), "nested too deeply");
}

TEST(GraphMl, ThatIsWrongIsRefusedWithItsPlace) {
  const auto refuse = [](const std::string& text, const std::string& reason) {
    const std::string lines = bad(import_text(text, "graphml", {}));
    EXPECT_NE(lines.find(reason), std::string::npos) << lines;
  };
  refuse("<graphml>\n<graph></node></graph></graphml>",
         "source:2:10: mismatched tag, inside of <graph>");
  refuse("<graphml><graph>", "no element found, inside of <graph>");
  refuse("<!DOCTYPE a [<!ENTITY b 'c'>]><graphml/>", "a document type is refused");
  refuse("<graphml><graph edgedefault='undirected'/></graphml>", "has no directions");
  refuse("<graphml>\n&b;</graphml>", "source:2:1: undefined entity");
  refuse("<graphml><node x></graphml>", "not well-formed");
  std::string deep = "<graphml>";
  for (int i = 0; i < 100; ++i) deep += "<graph>";
  refuse(deep, "nested too deeply");
  refuse("<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>",
         "no node `b`");
  refuse("hello", "no <graphml>");
}

TEST(GraphMl, MayHaveCharactersByNumberAndOtherEncodings) {
  const auto name_of = [](const std::string& head, const std::string& id) {
    const Imported imported = good(import_text(
        head + "<graphml xmlns:y='why'><graph id='" + id +
            "'><node id='a'><data key='wcet'><![CDATA[2]]></data></node></graph></graphml>",
        "graphml", {}));
    return imported.system.tasks.at(0).name;
  };
  EXPECT_EQ(name_of("", "Br&#252;cke &#x2192; &amp;"), "Brücke → &");
  EXPECT_EQ(name_of("<?xml version='1.0' encoding='ISO-8859-1'?><!-- x -->",
                    "Br\xFC"
                    "cke"),
            "Brücke");
}

TEST(GraphMl, HasAttributesOfAGraphInsideOfANode) {
  const Imported imported = good(
      import_text("<graphml><graph id='outer'><node id='a'>"
                  "<graph id='inner'><data key='period'>7</data><node id='b'>"
                  "<data key='wcet'>2</data></node></graph>"
                  "<data key='wcet'>1</data></node><data key='period'>9</data></graph></graphml>",
                  "graphml", {}));
  ASSERT_EQ(imported.system.tasks.size(), 2U);
  const Task &outer = imported.system.tasks[0], &inner = imported.system.tasks[1];
  EXPECT_EQ(outer.period, Time::from_ms(9));
  EXPECT_EQ(outer.nodes.at(0).wcet, Time::from_ms(1));
  EXPECT_EQ(inner.period, Time::from_ms(7));
  EXPECT_EQ(inner.nodes.at(0).wcet, Time::from_ms(2));
}

TEST(CudaGraph, GivesKernelsWithTheirLaunchConfigurationAndNoTimes) {
  ImportOptions options;
  options.name = "graph";
  const Imported imported = good(import_text(R"(digraph dot {
subgraph cluster_1 {
label="graph_1" graph[style="dashed"];
"graph_1_node_0"[style="solid" shape="record" label="{
MEMCPY
|{{ID|node handle}|{0|0x55d}}
|{kind | HtoD (Host to Device)}}"];
"graph_1_node_1"[style="bold" shape="record" label="{KERNEL
| {ID | 1 (topoId: 1) | conv_kernel\<\<\<4,128,1024\>\>\>}
| {{node handle | func handle} | {0x000055 | 0x000056}}}"];
"graph_1_node_2"[style="bold" shape="octagon" label="2
relu_kernel
"];
"graph_1_node_0" -> "graph_1_node_1" [headlabel=0];
"graph_1_node_1" -> "graph_1_node_2" [headlabel=0];
}
})",
                                             "", options));
  const Task& task = imported.system.tasks.at(0);
  EXPECT_EQ(task.name, "graph_1");
  ASSERT_EQ(task.nodes.size(), 3U);
  EXPECT_EQ(imported.system.platform.elements[task.nodes[0].on].name, "copy");
  EXPECT_EQ(task.nodes[1].name, "conv_kernel");
  EXPECT_EQ(task.nodes[1].blocks, 4);
  EXPECT_EQ(task.nodes[1].threads, 128);
  EXPECT_EQ(task.nodes[1].shared_memory, 1024);
  EXPECT_EQ(task.nodes[2].name, "relu_kernel");
  EXPECT_FALSE(task.nodes[1].wcet.has_value());
  EXPECT_EQ(task.graph, Graph::chain(3));
  EXPECT_TRUE(notes_have(imported, "2 kernels and 1 other nodes"));
}

/// The shapes of labels that a driver (580.159) wrote of a graph captured by PyTorch.
TEST(CudaGraph, HasGridsOfSeveralDimensionsAndCopiesOnTheDevice) {
  ImportOptions options;
  options.name = "captured";
  const Imported imported = good(import_text(R"(digraph dot {
subgraph cluster_1 {
label="graph_1" graph[style="dashed"];
"graph_1_node_0"[style="bold" shape="record" label="{KERNEL
| {ID | 0 (topoId: 3) | convolve\<\<\<121,\{8,8\},0\>\>\>}
| {cooperative | 0}
}"];
"graph_1_node_1"[style="bold" shape="record" label="{KERNEL
| {ID | 1 (topoId: 2) | to_rows\<\<\<\{1,1,16\},256,512\>\>\>}
}"];
"graph_1_node_2"[style="bold" shape="record" label="{KERNEL
| {ID | 2 (topoId: 1) | huge\<\<\<\{9000000000,9000000000,9\},256,0\>\>\>}
}"];
"graph_1_node_3"[style="solid" shape="record" label="{
MEMCPY
| {{ID | node handle} | {3 (topoId: 0) | 0x000000002B99D3A8}}
| {{src | dst} | {MemoryType | Host | MemoryType | Host} | {DEVICE (DEVICE) | 0x0 | DEVICE (DEVICE) | 0x0}}
}"];
"graph_1_node_0" -> "graph_1_node_1" [headlabel=0];
"graph_1_node_1" -> "graph_1_node_2" [headlabel=0];
"graph_1_node_2" -> "graph_1_node_3" [headlabel=0];
}
})",
                                             "", options));
  const std::vector<Node>& nodes = imported.system.tasks.at(0).nodes;
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].blocks, 121);
  EXPECT_EQ(nodes[0].threads, 64);
  EXPECT_EQ(nodes[1].blocks, 16);
  EXPECT_EQ(nodes[1].threads, 256);
  EXPECT_EQ(nodes[1].shared_memory, 512);
  EXPECT_FALSE(nodes[2].blocks.has_value());
  EXPECT_EQ(imported.system.platform.elements[nodes[3].on].name, "gpu");
}

TEST(Times, OfNsysAndNcuFillNodesOfTheirName) {
  ImportOptions options;
  options.name = "x";
  options.margin = 10;
  options.times =
      "Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...\n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "60.0,3000,3,1000.0,1000.0,900,1100,10.0,\"void ns::conv<float, 4>(int, float*)\"\n"
      "40.0,20,1,20.0,20.0,20,20,0.0,relu\n";
  const Imported imported =
      good(import_text("digraph G { conv [on=gpu]; relu [on=gpu]; other [on=gpu] }", "", options));
  const auto& nodes = imported.system.tasks[0].nodes;
  EXPECT_EQ(nodes[0].wcet, Time::from_ns(1210));
  EXPECT_EQ(nodes[0].measured->runs, 3);
  EXPECT_EQ(nodes[1].wcet, Time::from_ns(22));
  EXPECT_FALSE(nodes[2].wcet.has_value());
  EXPECT_TRUE(notes_have(imported, "2 nodes got the longest time"));

  options.times.clear();
  const Imported ncu =
      good(import_text("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                       "\"0\",\"conv(int)\",\"Duration\",\"usecond\",\"1,002.5\"\n"
                       "\"0\",\"conv(int)\",\"Registers\",\"\",\"32\"\n",
                       "", options));
  EXPECT_EQ(ncu.format, "times");
  EXPECT_EQ(ncu.system.tasks[0].nodes[0].measured->worst, Time::from_ns(1'002'500));
}

TEST(Times, ThatAreNoneAreRefused) {
  EXPECT_NE(bad(import_text("Max (ns),Name\nsoon,k\n", "", {})).find("must be a time >= 0"),
            std::string::npos);
  EXPECT_NE(bad(import_text("Max (ns),Name\n-3,k\n", "", {})).find("must be a time >= 0"),
            std::string::npos);
  EXPECT_NE(bad(import_text("a,b\n1,2\n", "times", {})).find("no column `Name`"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::exchange
