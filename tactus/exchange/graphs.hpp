#pragma once

#include <map>
#include <string>
#include <vector>

#include "tactus/exchange/source.hpp"

/// What DOT and GraphML have in common: graphs whose nodes have attributes that are texts.
namespace tactus::exchange {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct DrawnNode {
  std::string id;
  Attributes attributes;
  Position at;
};
struct DrawnEdge {
  std::string from, to;
  Position at;
};

/// One graph of a file, or a cluster of it.
struct DrawnGraph {
  std::string name;
  Attributes attributes;
  std::vector<DrawnNode> nodes;
  std::vector<DrawnEdge> edges;
  Position at;
};

struct Drawing {
  Attributes attributes;           ///< of the whole file
  std::vector<DrawnGraph> graphs;  ///< each becomes a task; without nodes: left out
  std::vector<Diagnostic> problems;
};

/// The system that a drawing shows: attributes with the names of the system file mean the same here
/// (`weight`, `time` and `cost` mean `wcet`). What has other names is left out, and noted.
Draft system_of(const Drawing& drawing, const ImportOptions& options);

/// The attributes of the system file that drawings keep, for both directions.
Attributes attributes_of(const System& system);
Attributes attributes_of(const System& system, const Task& task);
Attributes attributes_of(const System& system, const Node& node);
/// What drawings do not keep, for people.
std::vector<std::string> not_drawn(const System& system);

}  // namespace tactus::exchange
