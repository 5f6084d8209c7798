#pragma once

#include <fmt/format.h>

#include <string>

namespace tactus {

/// How the text of `big_system_text` looks.
struct BigSystem {
  int nodes = 1'000'000;
  bool edges = false;   ///< the chain spelled out, pair by pair
  bool pretty = false;  ///< a line for every node and edge, indented; else all on one line
};

/// A system file with one task of very many nodes.
inline std::string big_system_text(const BigSystem& shape) {
  const char* const gap = shape.pretty ? "\n        " : "";
  fmt::memory_buffer out;
  const auto put = [&](fmt::format_string<> text) { fmt::format_to(fmt::appender(out), text); };
  put(R"({{"tactus":1,"platform":{{"elements":[{{"name":"gpu","kind":"gpu","units":8}}]}},)");
  put(R"("tasks":[{{"name":"t","period":1e9,"nodes":[)");
  for (int i = 0; i < shape.nodes; ++i) {
    fmt::format_to(fmt::appender(out), R"({}{}{{"name":"node{}","on":"gpu","wcet":{}.25}})",
                   i == 0 ? "" : ",", gap, i, i % 100);
  }
  put("]");
  if (shape.edges) {
    put(R"(,"edges":[)");
    for (int i = 1; i < shape.nodes; ++i) {
      fmt::format_to(fmt::appender(out), R"({}{}["node{}","node{}"])", i == 1 ? "" : ",", gap,
                     i - 1, i);
    }
    put("]");
  }
  put("}}]}}\n");
  return fmt::to_string(out);
}

}  // namespace tactus
