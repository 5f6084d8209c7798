#include "tactus/exchange/amalthea/units.hpp"

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"

namespace tactus::exchange::amalthea {
namespace {

/// The model has had three places for it.
std::optional<std::int64_t> priority_in(const XmlElement& allocation) {
  for (const XmlElement* one : allocation.all("schedulingParameters")) {
    if (const auto plain = whole((*one)["priority"])) return plain;
    if ((*one)["key"].find("riority") == std::string::npos) continue;
    if (const XmlElement* value = one->find("value")) return whole((*value)["value"]);
  }
  return std::nullopt;
}

}  // namespace

Units::Units(const Model& model, const ImportOptions& options, Platform& platform, Told& told)
    : options_(options), platform_(platform), told_(told) {
  read_hardware(model);
  read_mapping(model);
}

void Units::read_hardware(const Model& model) {
  std::map<std::string, std::int64_t> hertz;
  for (const XmlElement* domain : model.in("hwModel", "domains")) {
    const XmlElement* value = domain->find("defaultValue");
    if (value == nullptr) continue;
    const std::string& unit = (*value)["unit"];
    const int places = unit == "GHz"                    ? 9
                       : unit == "MHz"                  ? 6
                       : unit == "kHz" || unit == "KHz" ? 3
                                                        : 0;
    const auto read = scaled((*value)["value"], places, Rounding::kDown);
    if (!read || *read <= 0) refuse(*value, "a frequency must be a number > 0");
    hertz[(*domain)["name"]] = *read;
  }
  std::set<std::string> gpus;
  for (const XmlElement* definition : model.in("hwModel", "definitions")) {
    if ((*definition)["puType"] == "GPU") gpus.insert((*definition)["name"]);
  }
  Element cpu;
  cpu.name = "cpu";
  cpu.kind = ElementKind::kCpu;
  cpu.units = 0;
  platform_.elements.push_back(cpu);
  for (const XmlElement* structure : model.in("hwModel", "structures")) {
    read_structure(*structure, hertz, gpus);
  }
  auto& cores = platform_.elements[0].units;
  if (cores == 0) refuse(model.root, "the model has no processing unit that is a CPU (hwModel)");
  if (options_.cores) cores = std::max(cores, *options_.cores);
}

void Units::read_structure(const XmlElement& structure,
                           const std::map<std::string, std::int64_t>& hertz,
                           const std::set<std::string>& gpus) {
  for (const XmlElement& one : structure.children) {
    if (one.name == "structures") read_structure(one, hertz, gpus);
    if (one.name != "modules" || type_of(one) != "ProcessingUnit") continue;
    Unit unit{one["name"], reference(one, "definition"), 0, false, 0, 0};
    const auto known = hertz.find(reference(one, "frequencyDomain"));
    if (known == hertz.end()) {
      refuse(one, fmt::format("processing unit {}: nothing says its frequency", quote(unit.name)));
    }
    unit.hertz = known->second;
    unit.gpu = gpus.contains(unit.definition);
    auto& elements = platform_.elements;
    if (unit.gpu) {
      unit.element = static_cast<ElementIndex>(elements.size());
      Element gpu;
      gpu.name = clean_name(unit.name);
      gpu.kind = ElementKind::kGpu;
      gpu.units = options_.sms.value_or(1);
      elements.push_back(std::move(gpu));
      if (!options_.sms) {
        told_.note("the model does not say how many SMs {} has: 1 assumed; --sms changes it",
                   quote(unit.name));
      }
    } else {
      unit.core = ++elements[0].units;
    }
    order_.push_back(unit.name);
    units_[unit.name] = std::move(unit);
  }
}

void Units::read_mapping(const Model& model) {
  std::map<std::string, std::vector<std::string>> units_of_scheduler;
  for (const XmlElement* one : model.in("mappingModel", "schedulerAllocation")) {
    auto& units = units_of_scheduler[reference(*one, "scheduler")];
    for (std::string& unit : references(*one, "responsibility")) units.push_back(std::move(unit));
    if (units.empty()) units = references(*one, "executingPU");
  }
  for (const XmlElement* one : model.in("mappingModel", "taskAllocation")) {
    const std::string task = reference(*one, "task");
    std::vector<std::string> units = references(*one, "affinity");
    if (units.empty()) units = units_of_scheduler[reference(*one, "scheduler")];
    for (const std::string& unit : units) {
      if (!units_.contains(unit)) {
        refuse(*one, fmt::format("there is no processing unit {}", quote(unit)));
      }
    }
    mapped_[task] = units;
    if (const auto priority = priority_in(*one)) priorities_[task] = *priority;
  }
  for (const auto& [name, task] : model.tasks) {
    const auto own = mapped_.find(name);
    const bool gpu =
        own != mapped_.end() && !own->second.empty() && units_.at(own->second.front()).gpu;
    if (gpu) on_gpu_.insert(name);
  }
}

std::vector<const Unit*> Units::of(const std::string& task) const {
  std::vector<const Unit*> found;
  const auto own = mapped_.find(task);
  if (own != mapped_.end()) {
    for (const std::string& name : own->second) found.push_back(&units_.at(name));
  }
  if (!found.empty()) return found;
  for (const std::string& name : order_) {
    if (!units_.at(name).gpu) found.push_back(&units_.at(name));
  }
  return found;
}

std::optional<std::int64_t> Units::priority_of(const std::string& task) const {
  const auto known = priorities_.find(task);
  return known == priorities_.end() ? std::nullopt : std::optional(known->second);
}

std::string Units::cores() const {
  std::string all;
  for (const std::string& name : order_) {
    const Unit& unit = units_.at(name);
    if (!unit.gpu) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", unit.core, name);
  }
  return all;
}

}  // namespace tactus::exchange::amalthea
