#include <fmt/core.h>

#include "tactus/exchange/export.hpp"
#include "tactus/exchange/graphs.hpp"

namespace tactus::exchange {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string list_of(const Attributes& all) {
  std::string out;
  for (const auto& [name, value] : all) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, in_quotes(value));
  }
  return out;
}

}  // namespace

Exported export_dot(const System& system) {
  Exported made;
  std::string& out = made.text;
  out = fmt::format("digraph {} {{\n  graph [{}];\n", in_quotes(system.name),
                    list_of(attributes_of(system)));
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const Task& task = system.tasks[t];
    out += fmt::format("  subgraph cluster_{} {{\n    graph [{}];\n", t,
                       list_of(attributes_of(system, task)));
    const auto id = [&](NodeIndex node) { return fmt::format("t{}_n{}", t, node); };
    for (NodeIndex i = 0; i < task.nodes.size(); ++i) {
      out += fmt::format("    {} [{}];\n", id(i), list_of(attributes_of(system, task.nodes[i])));
    }
    for (const auto& [from, to] : task.graph.edges()) {
      out += fmt::format("    {} -> {};\n", id(from), id(to));
    }
    out += "  }\n";
  }
  out += "}\n";
  made.notes = not_drawn(system);
  return made;
}

}  // namespace tactus::exchange
