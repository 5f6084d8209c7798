#include "tactus/exchange/amalthea/work.hpp"

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/amalthea/times.hpp"
#include "tactus/exchange/node_names.hpp"

namespace tactus::exchange::amalthea {

std::vector<Piece> Work::of(const std::string& task, const XmlElement& element) {
  std::vector<Piece> pieces;
  current_ = task;
  if (const XmlElement* graph = graph_of(element)) walk(*graph, units_.of(task), task, pieces, 0);
  return pieces;
}

const std::string* Work::host_of(const std::string& task) const {
  const auto host = host_.find(task);
  return host == host_.end() ? nullptr : &host->second;
}

/// The items of a task or a runnable, on units of one kind; what it triggers on a GPU comes in.
void Work::walk(const XmlElement& graph, const std::vector<const Unit*>& units,
                const std::string& owner, std::vector<Piece>& pieces, int depth) {
  constexpr int kDeepest = 40;
  constexpr std::size_t kMostItems = 1'000'000;
  if (depth > kDeepest) refuse(graph, "calls are nested too deeply, or call themselves");
  if (++walked_ > kMostItems) refuse(graph, "the calls of its tasks are too many");
  for (const XmlElement& item : graph.children) {
    const std::string_view type = type_of(item);
    if (type == "Ticks" || item.name == "ticks") {
      add_ticks(item, units, owner, pieces);
    } else if (type == "RunnableCall") {
      const auto known = model_.runnables.find(reference(item, "runnable"));
      if (known == model_.runnables.end()) {
        refuse(item, fmt::format("there is no runnable {} in this file",
                                 quote(reference(item, "runnable"))));
      }
      const XmlElement* inner = graph_of(*known->second);
      if (inner != nullptr) walk(*inner, units, known->first, pieces, depth + 1);
    } else if (type == "InterProcessTrigger") {
      trigger(item, pieces, depth);
    } else if (type == "Group" || item.name == "entries" || item.name == "defaultEntry") {
      walk(item, units, owner, pieces, depth + 1);
    } else if (type.ends_with("Switch")) {
      ++told_.left_out["switches (all their branches are counted)"];
      walk(item, units, owner, pieces, depth + 1);
    } else if (type == "LabelAccess" || type == "ChannelSend" || type == "ChannelReceive") {
      ++told_.left_out["accesses to labels and channels (their time is not counted)"];
    } else if (type == "ExecutionNeed" || type == "RunnableInstructions") {
      refuse(item, fmt::format("{} of an early version of AMALTHEA: let APP4MC convert the model "
                               "to 0.9.3 or later, which has ticks",
                               quote(type)));
    } else if (!type.empty() && type != "WaitEvent" && type != "SetEvent" && type != "ClearEvent") {
      ++told_.left_out[fmt::format("items of type {}", clean_name(type))];
    }
  }
}

void Work::add_ticks(const XmlElement& item, const std::vector<const Unit*>& units,
                     const std::string& owner, std::vector<Piece>& pieces) {
  Piece piece{clean_name(owner), units.front()->element, Time::max(), Time()};
  for (const Unit* unit : units) {  // the slowest that it may run on
    const auto ticks = ticks_for(item, unit->definition);
    if (!ticks) {
      refuse(item, fmt::format("{} has no ticks for {}, on which its task may run", quote(owner),
                               quote(unit->definition)));
    }
    piece.upper = std::max(piece.upper, time_of(ticks->upper, unit->hertz, Rounding::kUp));
    piece.lower = std::min(piece.lower, time_of(ticks->lower, unit->hertz, Rounding::kDown));
  }
  if (piece.upper > Time()) pieces.push_back(std::move(piece));
}

/// A task of a GPU comes in here; one of a CPU is told later.
void Work::trigger(const XmlElement& item, std::vector<Piece>& pieces, int depth) {
  const std::string stimulus = reference(item, "stimulus");
  for (const auto& [name, task] : model_.tasks) {
    const auto by = references(*task, "stimuli");
    if (std::find(by.begin(), by.end(), stimulus) == by.end()) continue;
    if (!units_.tasks_on_gpu().contains(name)) {
      triggered_[name] = current_;
      continue;
    }
    host_[name] = current_;
    if (const XmlElement* inner = graph_of(*task)) {
      walk(*inner, units_.of(name), name, pieces, depth + 1);
    }
  }
}

}  // namespace tactus::exchange::amalthea
