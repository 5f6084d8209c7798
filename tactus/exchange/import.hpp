#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/options.hpp"
#include "tactus/exchange/recorded_jobs.hpp"

namespace tactus::exchange {

/// What came of an import.
struct Imported {
  std::string format;              ///< what the source was
  System system;                   ///< checked
  std::vector<std::string> notes;  ///< what was assumed, and what was left out and why
  std::vector<TaskSeen> seen;      ///< by task; empty if the source has no jobs
};

/// Or why there is none, with places where the source has them.
using ImportResult = Result<Imported, std::vector<Error>>;

/// A format that can be imported.
struct SourceFormat {
  std::string_view name, what;
};
std::span<const SourceFormat> source_formats();

/// Imports a file ("-" is standard input). `format` is the name of a source format, or empty: then
/// the contents tell. Nothing is thrown.
ImportResult import_file(const std::string& path, std::string_view format,
                         const ImportOptions& options);

/// The same for a text. What is not text (an SQLite file) cannot come in this way.
ImportResult import_text(std::string_view text, std::string_view format,
                         const ImportOptions& options);

}  // namespace tactus::exchange
