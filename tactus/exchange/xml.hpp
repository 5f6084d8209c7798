#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tactus/base/diagnostic.hpp"

namespace tactus::exchange {

/// An element of an XML text, with what is in it. The prefix of a namespace is taken off its name, but
/// not off those of attributes; text between elements is not kept.
struct XmlElement {
  std::string name, text;
  std::map<std::string, std::string, std::less<>> attributes;
  std::vector<XmlElement> children;
  Position at;

  /// Empty if it is not there.
  const std::string& operator[](std::string_view attribute) const;
  /// Those of a name.
  std::vector<const XmlElement*> all(std::string_view child) const;
  /// The first of them, or null.
  const XmlElement* find(std::string_view child) const;
};

/// Expat reads it. A document type is refused, because it could define entities, which fetch something
/// or grow; so is what is nested too deeply.
Result<XmlElement> parse_xml(std::string_view text);

}  // namespace tactus::exchange
