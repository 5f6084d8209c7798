#include "tactus/exchange/xml.hpp"

#include <expat.h>
#include <fmt/core.h>

#include <memory>
#include <new>
#include <optional>

namespace tactus::exchange {
namespace {

constexpr std::size_t kDeepest = 64, kMostElements = 4'000'000;

std::string local(std::string_view name) { return std::string(name.substr(name.find(':') + 1)); }

class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : text_(text), parser_(XML_ParserCreate(nullptr)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<TreeReader*>(self)->open(name, attributes);
        },
        [](void* self, const char*) { static_cast<TreeReader*>(self)->path_.pop_back(); });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* some, int length) {
      XmlElement& inside = *static_cast<TreeReader*>(self)->path_.back();
      if (inside.children.empty()) inside.text.append(some, static_cast<std::size_t>(length));
    });
    XML_SetStartDoctypeDeclHandler(parser_.get(), [](void* self, const char*, const char*,
                                                     const char*, int) {
      static_cast<TreeReader*>(self)->fail("a document type is refused: it could define entities");
    });
    path_.push_back(&outer_);
  }

  Result<XmlElement> read() {
    const auto status =
        XML_Parse(parser_.get(), text_.data(), static_cast<int>(text_.size()), XML_TRUE);
    if (status == XML_STATUS_ERROR) {
      const std::string why = XML_ErrorString(XML_GetErrorCode(parser_.get()));
      fail(path_.size() > 1 ? fmt::format("{}, inside of <{}>", why, path_.back()->name) : why);
    }
    if (problem_) return *problem_;
    return std::move(outer_.children.front());
  }

 private:
  void fail(std::string message) {  // the first counts
    if (problem_) return;
    problem_ = {std::move(message), {}, here()};
    XML_StopParser(parser_.get(), XML_FALSE);
  }
  Position here() const {
    return {static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<std::uint32_t>(XML_GetCurrentColumnNumber(parser_.get()) + 1)};
  }

  void open(const char* name, const char** given) {
    path_.back()->text = {};
    XmlElement& element = path_.back()->children.emplace_back();
    path_.push_back(&element);
    if (path_.size() > kDeepest) return fail("nested too deeply");
    if (++elements_ > kMostElements) {
      return fail(fmt::format("more than {} elements", kMostElements));
    }
    element.name = local(name);
    element.at = here();
    for (; *given != nullptr; given += 2) {
      element.attributes.insert_or_assign(given[0], given[1]);
    }
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  std::string_view text_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  XmlElement outer_;
  /// Those that are open: only the last of them gets children, so that the others stay where they are.
  std::vector<XmlElement*> path_;
  std::optional<Diagnostic> problem_;
  std::size_t elements_ = 0;
};

}  // namespace

const std::string& XmlElement::operator[](std::string_view attribute) const {
  static const std::string none;
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? none : found->second;
}

std::vector<const XmlElement*> XmlElement::all(std::string_view child) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement& one : children) {
    if (one.name == child) found.push_back(&one);
  }
  return found;
}

const XmlElement* XmlElement::find(std::string_view child) const {
  for (const XmlElement& one : children) {
    if (one.name == child) return &one;
  }
  return nullptr;
}

Result<XmlElement> parse_xml(std::string_view text) { return TreeReader(text).read(); }

}  // namespace tactus::exchange
