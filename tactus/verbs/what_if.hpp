#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/decide/edit.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/verbs/answer.hpp"

/// What would be, were the system different?
namespace tactus::verbs {

/// A system whose tasks are added.
struct Addition {
  std::string name;  ///< in what is told
  System system;
};

/// The system with other tasks added and attributes set ("camera.period=30"), in this order.
/// @param file what the system is called in messages
Answer<decide::Edited> changed(System system, const std::string& file,
                               std::span<const Addition> additions,
                               std::span<const std::string> assignments);

/// Adds what methods say about a file that was read. It can be valid but of no use: no method covers
/// it, or the method that it deploys does not exist; then it has no system any more.
void hold_to_methods(ReadResult& read);

}  // namespace tactus::verbs
