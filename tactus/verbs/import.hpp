#pragma once

#include <string>
#include <vector>

#include "tactus/exchange/import.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::verbs {

/// The options of an import as they are written.
struct ImportWords {
  std::string jobs, tasks = "annotation", fold = "task", demand = "blocks", time_unit = "ms";
  std::string gap;                              ///< in `time_unit`; empty: the default
  std::vector<std::string> periods, deadlines;  ///< "33" or "camera=33", in `time_unit`
  std::string name;                             ///< of the system
  std::int64_t margin = 20, skip = 0;
  std::int64_t cores = 0, sms = 0;  ///< 0: as the source has it
  std::string task;                 ///< name of the only task
  bool bcet = false, gpu_only = false, after = false;
  std::string lag;  ///< in `time_unit`; empty: the default
};

Answer<exchange::ImportOptions> import_options(const ImportWords& words);

/// What was imported, or the problems of the source, under its name.
Answer<exchange::Imported> imported(exchange::ImportResult result, const std::string& name);

/// "/tmp/robot.json.gz" is "robot".
std::string system_name_of(const std::string& path);

}  // namespace tactus::verbs
