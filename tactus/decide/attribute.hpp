#pragma once

#include <string>

#include "tactus/model/format.hpp"

namespace tactus::decide {

/// The value of an attribute as the file has it, in JSON; empty where it is left out.
template <typename Owner>
std::string written(const Field<Owner>& field, const System& system, const Owner& owner) {
  json::Writer out(json::Layout::kOneLine);
  out.begin_object();
  field.write(out, field.key, system, owner);
  out.end_object();
  const std::string text = out.take();  // {"key":value}
  const std::size_t colon = text.find(':'), end = text.rfind('}');
  return colon == std::string::npos ? std::string() : text.substr(colon + 1, end - colon - 1);
}

}  // namespace tactus::decide
