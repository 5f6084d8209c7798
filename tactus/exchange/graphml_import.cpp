#include <expat.h>
#include <fmt/core.h>

#include <memory>
#include <new>
#include <vector>

#include "tactus/exchange/graphs.hpp"
#include "tactus/exchange/numbers.hpp"

namespace tactus::exchange {
namespace {

/// Expat reads the XML. A document type is refused: it could define entities, which fetch something or
/// grow.
class GraphmlReader {
 public:
  explicit GraphmlReader(std::string_view text) : text_(text), parser_(XML_ParserCreate(nullptr)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<GraphmlReader*>(self)->open(name, attributes);
        },
        [](void* self, const char* name) {
          static_cast<GraphmlReader*>(self)->close(local(name));
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* some, int length) {
      static_cast<GraphmlReader*>(self)->take_text({some, static_cast<std::size_t>(length)});
    });
    XML_SetStartDoctypeDeclHandler(parser_.get(),
                                   [](void* self, const char*, const char*, const char*, int) {
                                     static_cast<GraphmlReader*>(self)->fail(
                                         "a document type is refused: it could define entities");
                                   });
  }

  Drawing read() {
    const auto status =
        XML_Parse(parser_.get(), text_.data(), static_cast<int>(text_.size()), XML_TRUE);
    if (status == XML_STATUS_ERROR) {
      const XML_Error code = XML_GetErrorCode(parser_.get());
      const bool none = !seen_ && (code == XML_ERROR_SYNTAX || code == XML_ERROR_NO_ELEMENTS);
      fail(none ? "there is no <graphml> in it"
           : open_.empty()
               ? std::string(XML_ErrorString(code))
               : fmt::format("{}, inside of <{}>", XML_ErrorString(code), open_.back()));
    } else if (!seen_) {
      fail("there is no <graphml> in it");
    }
    return std::move(drawing_);
  }

 private:
  Position here() const {
    return {static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<std::uint32_t>(XML_GetCurrentColumnNumber(parser_.get()) + 1)};
  }
  /// The first problem counts.
  void fail(std::string message) {
    if (failed_) return;
    drawing_.problems.push_back({std::move(message), {}, here()});
    failed_ = true;
    XML_StopParser(parser_.get(), XML_FALSE);
  }
  /// Without its namespace.
  static std::string local(std::string_view name) {
    return std::string(name.substr(name.find(':') + 1));
  }
  static std::string of(const Attributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string() : found->second;
  }

  void open(const char* full_name, const char** given) {
    const std::string name = local(full_name);
    Attributes attributes;
    for (; *given != nullptr; given += 2) attributes.insert_or_assign(local(given[0]), given[1]);
    constexpr std::size_t kDeepest = 64;
    open_.push_back(name);
    if (open_.size() > kDeepest) return fail("nested too deeply");
    if (name == "graphml") seen_ = true;
    if (name == "key") keys_[of(attributes, "id")] = of(attributes, "attr.name");
    if (name == "data") {
      data_key_ = of(attributes, "key");
      data_.clear();
    }
    if (name == "graph") {
      if (of(attributes, "edgedefault") == "undirected") {
        return fail("this graph has no directions; a task needs edgedefault=\"directed\"");
      }
      graphs_.push_back({drawing_.graphs.size(), in_node_, in_edge_});
      in_node_ = in_edge_ = false;
      drawing_.graphs.push_back({of(attributes, "id"), {}, {}, {}, here()});
    }
    if (name == "node" && !graphs_.empty()) {
      graph().nodes.push_back({of(attributes, "id"), {}, here()});
      in_node_ = true;
    }
    if (name == "edge" && !graphs_.empty()) {
      graph().edges.push_back({of(attributes, "source"), of(attributes, "target"), here()});
      in_edge_ = true;
    }
  }

  void take_text(std::string_view text) {
    if (!data_key_.empty()) data_ += text;
  }

  void close(const std::string& name) {
    if (failed_) return;
    open_.pop_back();
    if (name == "data") take_data();
    if (name == "graph" && !graphs_.empty()) {
      in_node_ = graphs_.back().in_node;
      in_edge_ = graphs_.back().in_edge;
      graphs_.pop_back();
    }
    if (name == "node") in_node_ = false;
    if (name == "edge") in_edge_ = false;
  }

  void take_data() {
    const auto key = keys_.find(data_key_);
    const std::string name = key == keys_.end() || key->second.empty() ? data_key_ : key->second;
    data_key_.clear();
    if (in_edge_) return;
    const std::size_t first = data_.find_first_not_of(" \t\r\n");
    const std::string value =
        first == std::string::npos
            ? ""
            : data_.substr(first, data_.find_last_not_of(" \t\r\n") - first + 1);
    if (graphs_.empty()) {
      drawing_.attributes[name] = value;
    } else if (in_node_) {
      graph().nodes.back().attributes[name] = value;
    } else {
      graph().attributes[name] = value;
    }
  }
  DrawnGraph& graph() { return drawing_.graphs[graphs_.back().index]; }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  std::string_view text_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  Drawing drawing_;
  std::vector<std::string> open_;
  /// A graph that is open, and what it is drawn inside of: a node may hold a graph of its own.
  struct OpenGraph {
    std::size_t index;
    bool in_node, in_edge;
  };
  std::vector<OpenGraph> graphs_;
  Attributes keys_;
  std::string data_key_, data_;
  bool in_node_ = false, in_edge_ = false, failed_ = false, seen_ = false;
};

}  // namespace

Draft import_graphml(Source& source, const ImportOptions& options) {
  const auto text = all_of(source.bytes());
  if (!text) return Draft::bad(text.error().message);
  Drawing drawing = GraphmlReader(*text).read();
  if (!drawing.problems.empty()) return {{}, {}, std::move(drawing.problems), {}};
  return system_of(drawing, options);
}

}  // namespace tactus::exchange
