#include <fmt/core.h>

#include <set>

#include "tactus/base/markup.hpp"
#include "tactus/exchange/export.hpp"
#include "tactus/exchange/graphs.hpp"

namespace tactus::exchange {
namespace {

std::string data_of(const Attributes& all, const char* prefix, const char* indent) {
  std::string out;
  for (const auto& [name, value] : all) {
    out += fmt::format("{}<data key=\"{}_{}\">{}</data>\n", indent, prefix, name,
                       markup_escaped(value));
  }
  return out;
}

}  // namespace

Exported export_graphml(const System& system) {
  std::set<std::string> graph_names, node_names, file_names;
  for (const auto& [name, value] : attributes_of(system)) file_names.insert(name);
  for (const Task& task : system.tasks) {
    for (const auto& [name, value] : attributes_of(system, task)) graph_names.insert(name);
    for (const Node& node : task.nodes) {
      for (const auto& [name, value] : attributes_of(system, node)) node_names.insert(name);
    }
  }
  Exported made;
  std::string& out = made.text;
  out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  const auto keys = [&](const std::set<std::string>& names, const char* of, const char* prefix) {
    for (const std::string& name : names) {
      out += fmt::format("  <key id=\"{}_{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"string\"/>\n",
                         prefix, name, of, name);
    }
  };
  keys(file_names, "graphml", "s");
  keys(graph_names, "graph", "t");
  keys(node_names, "node", "n");
  out += data_of(attributes_of(system), "s", "  ");
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const Task& task = system.tasks[t];
    out += fmt::format("  <graph id=\"t{}\" edgedefault=\"directed\">\n", t);
    out += data_of(attributes_of(system, task), "t", "    ");
    const auto id = [&](NodeIndex node) { return fmt::format("t{}_n{}", t, node); };
    for (NodeIndex i = 0; i < task.nodes.size(); ++i) {
      out += fmt::format("    <node id=\"{}\">\n{}    </node>\n", id(i),
                         data_of(attributes_of(system, task.nodes[i]), "n", "      "));
    }
    for (const auto& [from, to] : task.graph.edges()) {
      out += fmt::format("    <edge source=\"{}\" target=\"{}\"/>\n", id(from), id(to));
    }
    out += "  </graph>\n";
  }
  out += "</graphml>\n";
  made.notes = not_drawn(system);
  return made;
}

}  // namespace tactus::exchange
