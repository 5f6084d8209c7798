#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "tactus/model/reader.hpp"

namespace tactus {

/// The text of a system file in which `@` stands right before the place of an expected complaint.
struct MarkedText {
  std::string text;
  Position at;
};

/// Takes the mark out and tells where it was.
inline MarkedText unmark(std::string text) {
  const std::size_t mark = text.find('@');
  if (mark == std::string::npos) return {std::move(text), {}};
  text.erase(mark, 1);
  Position at{1, 1};
  for (std::size_t i = 0; i < mark; ++i) {
    at.column = text[i] == '\n' ? 1 : at.column + 1;
    at.line += text[i] == '\n' ? 1 : 0;
  }
  return {std::move(text), at};
}

/// Whole files around the members of one object; each is valid when the members are.
inline std::string with_top(const std::string& members) {
  return fmt::format(R"({{"tactus": 1, "platform": {{"elements": [
  {{"name": "cpu", "kind": "cpu", "units": 4}},
  {{"name": "gpu", "kind": "gpu", "units": 8}}]}},
{}}})",
                     members);
}
inline std::string with_element(const std::string& members) {
  return fmt::format(R"({{"tactus": 1, "tasks": [],
"platform": {{"elements": [{{"name": "e", {}}}]}}}})",
                     members);
}
inline std::string with_task(const std::string& members) {
  return with_top(fmt::format(R"("tasks": [{{"name": "t", {}}}])", members));
}
inline std::string with_node(const std::string& members) {
  return with_task(fmt::format(R"("nodes": [{{"name": "n", "on": "gpu", {}}}])", members));
}
/// Four nodes a, b, c, d and these edges.
inline std::string with_edges(const std::string& edges) {
  std::string nodes;
  for (char name : {'a', 'b', 'c', 'd'}) {
    nodes += fmt::format(R"({}{{"name": "{}", "on": "cpu"}})", nodes.empty() ? "" : ", ", name);
  }
  return with_task(fmt::format("\"nodes\": [{}],\n\"edges\": {}", nodes, edges));
}
/// Tasks `a` and `b` of one node with wcet 2 and 3, `c` of two nodes, and these members.
inline std::string with_batches(const std::string& members) {
  return with_top(fmt::format(R"("tasks": [
  {{"name": "a", "nodes": [{{"name": "k", "on": "gpu", "wcet": 2}}]}},
  {{"name": "b", "nodes": [{{"name": "k", "on": "gpu", "wcet": 3}}]}},
  {{"name": "c", "nodes": [{{"name": "k", "on": "gpu", "wcet": 9}}, {{"name": "l", "on": "cpu"}}]}}],
{})",
                              members));
}

/// All complaints as "line:col: message".
inline std::vector<std::string> complaints(const ReadResult& result) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    lines.push_back(to_string(diagnostic, "").substr(1));
  }
  return lines;
}

/// The same, but for what is right and of no use: tests of the reader and the writer set every
/// attribute everywhere.
inline std::vector<std::string> complaints_but_idle(const ReadResult& result) {
  std::vector<std::string> lines = complaints(result);
  std::erase_if(lines, [](const std::string& line) {
    return line.find("has no effect: ") != std::string::npos || line.ends_with(" right?") ||
           line.ends_with(" more warnings");
  });
  return lines;
}

}  // namespace tactus
