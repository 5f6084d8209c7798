#include "tactus/exchange/graphs.hpp"
#include "tactus/exchange/xml.hpp"

namespace tactus::exchange {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

class GraphmlReader {
 public:
  Drawing read(const XmlElement& root) {
    for (const XmlElement* key : root.all("key")) keys_[(*key)["id"]] = (*key)["attr.name"];
    for (const XmlElement& one : root.children) {
      if (one.name == "data") take(one, drawing_.attributes);
      if (one.name == "graph") read_graph(one);
    }
    return std::move(drawing_);
  }

 private:
  /// A node may hold a graph of its own, which then stands behind this one.
  void read_graph(const XmlElement& graph) {
    if (graph["edgedefault"] == "undirected") {
      drawing_.problems.push_back(
          {"this graph has no directions; a task needs edgedefault=\"directed\"", {}, graph.at});
      return;
    }
    const std::size_t own = drawing_.graphs.size();
    drawing_.graphs.push_back({graph["id"], {}, {}, {}, graph.at});
    for (const XmlElement& one : graph.children) {
      if (one.name == "data") take(one, drawing_.graphs[own].attributes);
      if (one.name == "graph") read_graph(one);
      if (one.name == "edge")
        drawing_.graphs[own].edges.push_back({one["source"], one["target"], one.at});
      if (one.name == "node") {
        drawing_.graphs[own].nodes.push_back({one["id"], {}, one.at});
        for (const XmlElement* data : one.all("data"))
          take(*data, drawing_.graphs[own].nodes.back().attributes);
        for (const XmlElement* inside : one.all("graph")) read_graph(*inside);
      }
    }
  }

  void take(const XmlElement& data, Attributes& attributes) const {
    const std::string& key = data["key"];
    const auto known = keys_.find(key);
    const bool named = known != keys_.end() && !known->second.empty();
    attributes[named ? known->second : key] = trimmed(data.text);
  }

  Drawing drawing_;
  Attributes keys_;
};

}  // namespace

Draft import_graphml(Source& source, const ImportOptions& options) {
  const auto text = all_of(source.bytes());
  if (!text) return Draft::bad(text.error().message);
  const auto parsed = parse_xml(*text);
  const bool other =
      parsed ? parsed->name != "graphml" : text->find("graphml") == std::string::npos;
  if (other) return Draft::bad("there is no <graphml> in it", {1, 1});
  if (!parsed) return {{}, {}, {parsed.error()}, {}};
  Drawing drawing = GraphmlReader().read(*parsed);
  if (!drawing.problems.empty()) return {{}, {}, std::move(drawing.problems), {}};
  return system_of(drawing, options);
}

}  // namespace tactus::exchange
