#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tactus/exchange/amalthea/model.hpp"
#include "tactus/exchange/options.hpp"
#include "tactus/model/system.hpp"

namespace tactus::exchange::amalthea {

struct Unit {  ///< a processing unit
  std::string name, definition;
  std::int64_t hertz = 0;
  bool gpu = false;
  ElementIndex element = 0;
  std::int64_t core = 0;  ///< of a CPU, counted from 1
};

/// The processing units of a model, and which tasks are mapped to them.
class Units {
 public:
  /// Fills the platform with them.
  Units(const Model& model, const ImportOptions& options, Platform& platform, Told& told);

  /// Where a task may run; all CPUs if nothing says.
  std::vector<const Unit*> of(const std::string& task) const;
  /// Tasks that are mapped to a GPU.
  const std::set<std::string>& tasks_on_gpu() const { return on_gpu_; }
  std::optional<std::int64_t> priority_of(const std::string& task) const;
  /// "1 Core 0, 2 Core 1".
  std::string cores() const;

 private:
  void read_hardware(const Model& model);
  void read_structure(const XmlElement& structure, const std::map<std::string, std::int64_t>& hertz,
                      const std::set<std::string>& gpus);
  void read_mapping(const Model& model);

  const ImportOptions& options_;
  Platform& platform_;
  Told& told_;
  std::map<std::string, Unit> units_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> mapped_;  ///< by task
  std::map<std::string, std::int64_t> priorities_;
  std::set<std::string> on_gpu_;
};

}  // namespace tactus::exchange::amalthea
