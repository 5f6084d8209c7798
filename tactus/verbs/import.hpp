#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/exchange/export.hpp"
#include "tactus/exchange/import.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::verbs {

/// A system from what another tool wrote.
struct ImportQuestion {
  std::string file;            ///< its name, from which it is read; many kinds are not text
  const char* text = nullptr;  ///< or the source itself
  std::string from;            ///< what it is; empty: its contents tell
  std::string jobs, tasks = "annotation", fold = "task", demand = "blocks", time_unit = "ms";
  std::string gap;                              ///< in `time_unit`; empty: the default
  std::vector<std::string> periods, deadlines;  ///< "33" or "camera=33", in `time_unit`
  std::string name;                             ///< of the system
  std::int64_t margin = 20, skip = 0;
  std::int64_t cores = 0, sms = 0;  ///< 0: as the source has it
  std::string task;                 ///< name of the only task
  bool bcet = false, gpu_only = false, after = false;
  std::string lag;                                    ///< in `time_unit`; empty: the default
  std::string tracks = "*", gpu_tracks, parts = "*";  ///< of a Chrome trace
  std::vector<std::string> join;                      ///< names of files
  Document edges, times;
};
void describe(ImportQuestion& question, Fields& is);

struct ImportedSystem {
  exchange::Imported imported;
  std::string name;  ///< of the source

  static Exit exit() { return kYes; }
  std::string json(bool with_system = true) const;
};
Answer<ImportedSystem> answer(const ImportQuestion& question, const Companion& companion);

/// A system as other tools read it.
struct ExportQuestion {
  About about;
  std::string to;
};
void describe(ExportQuestion& question, Fields& is);

struct Exported {
  exchange::Exported exported;
  std::string format;

  static Exit exit() { return kYes; }
  std::string json() const;
};
Answer<Exported> answer(const ExportQuestion& question, const Companion& companion);

}  // namespace tactus::verbs
