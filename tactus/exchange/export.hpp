#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

namespace tactus::exchange {

/// A format that systems can be exported to.
struct TargetFormat {
  std::string_view name, what;
};
std::span<const TargetFormat> target_formats();

/// A system in another format. Some need a second file.
struct Exported {
  std::string text;
  std::string edges;               ///< of `sag`: the file of edges; empty if there are none
  std::vector<std::string> notes;  ///< what the other format cannot say
};

/// An error if there is no such format, or if it cannot say what the system is.
Result<Exported> export_system(const System& system, std::string_view format);

// The writers of the formats, one file each.
Result<Exported> export_sag(const System& system);
Exported export_dot(const System& system);
Exported export_graphml(const System& system);

}  // namespace tactus::exchange
