#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/exchange/xml.hpp"

/// Models of AMALTHEA (Eclipse APP4MC), as far as a system file can say the same: tasks with their
/// stimuli, runnables with ticks, processing units with their frequencies, mapping, event chains with
/// their limits. A task of a GPU becomes part of the task that triggers it, at the place where it does.
namespace tactus::exchange::amalthea {

/// A problem of the file, with its place.
struct Refused {
  Error problem;
};
[[noreturn]] void refuse(const XmlElement& at, std::string message);

/// What an element refers to, by an attribute, or by a child when the model is in several files.
std::vector<std::string> references(const XmlElement& element, std::string_view key);
/// The first of them, or nothing.
std::string reference(const XmlElement& element, std::string_view key);

/// "am:Ticks" is "Ticks".
std::string_view type_of(const XmlElement& element);

/// What a task or a runnable does; null: nothing.
const XmlElement* graph_of(const XmlElement& process);

/// What of a model others refer to by its name.
struct Model {
  const XmlElement& root;
  std::vector<std::pair<std::string, const XmlElement*>> tasks;  ///< as the file has them
  std::map<std::string, const XmlElement*> runnables, stimuli, events;
  std::size_t interrupts = 0;

  explicit Model(const XmlElement& root);
  /// Elements of a name in the parts of a name.
  std::vector<const XmlElement*> in(std::string_view part, std::string_view name) const;
};

/// What a person is told of an import.
struct Told {
  std::vector<std::string> notes;
  std::map<std::string, std::size_t> left_out;  ///< what, and how often

  template <typename... Arguments>
  void note(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    notes.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
};

}  // namespace tactus::exchange::amalthea
