#include "tactus/exchange/amalthea/model.hpp"

#include <algorithm>
#include <charconv>

namespace tactus::exchange::amalthea {
namespace {

/// "Core%200?type=ProcessingUnit" is "Core 0"; blanks are between several.
std::vector<std::string> names_in(std::string_view references) {
  std::vector<std::string> names;
  while (!references.empty()) {
    const std::size_t end = std::min(references.find(' '), references.size());
    std::string_view one = references.substr(0, end);
    references.remove_prefix(std::min(end + 1, references.size()));
    if (one.starts_with("amlt:/#")) one.remove_prefix(7);
    one = one.substr(0, one.find('?'));
    std::string name;
    for (std::size_t i = 0; i < one.size(); ++i) {
      unsigned code = 0;
      const bool escaped =
          one[i] == '%' && i + 2 < one.size() &&
          std::from_chars(&one[i + 1], &one[i + 1] + 2, code, 16).ptr == &one[i + 1] + 2;
      name += escaped ? static_cast<char>(code) : one[i] == '+' ? ' ' : one[i];
      i += escaped ? 2 : 0;
    }
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void refuse(const XmlElement& at, std::string message) {
  throw Refused{{std::move(message), {}, at.at}};
}

std::vector<std::string> references(const XmlElement& element, std::string_view key) {
  std::vector<std::string> names = names_in(element[key]);
  for (const XmlElement* child : element.all(key)) {
    for (std::string& name : names_in((*child)["href"])) names.push_back(std::move(name));
  }
  return names;
}
std::string reference(const XmlElement& element, std::string_view key) {
  const auto names = references(element, key);
  return names.empty() ? std::string() : names.front();
}

std::string_view type_of(const XmlElement& element) {
  const std::string_view type = element["xsi:type"];
  return type.substr(type.find(':') + 1);
}

const XmlElement* graph_of(const XmlElement& process) {
  for (const char* name : {"activityGraph", "callGraph"}) {
    if (const XmlElement* graph = process.find(name)) return graph;
  }
  return nullptr;
}

Model::Model(const XmlElement& whole) : root(whole) {
  for (const XmlElement& model : root.children) {
    for (const XmlElement& one : model.children) {
      const std::string& name = one["name"];
      if (model.name == "swModel" && one.name == "tasks") tasks.emplace_back(name, &one);
      if (model.name == "swModel" && one.name == "isrs") ++interrupts;
      if (model.name == "swModel" && one.name == "runnables") runnables[name] = &one;
      if (model.name == "stimuliModel" && one.name == "stimuli") stimuli[name] = &one;
      if (model.name == "eventModel" && one.name == "events") events[name] = &one;
    }
  }
}

std::vector<const XmlElement*> Model::in(std::string_view part, std::string_view name) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement* one : root.all(part)) {
    const auto more = one->all(name);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

}  // namespace tactus::exchange::amalthea
