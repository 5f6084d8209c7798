#include "tactus/exchange/amalthea/chains.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "tactus/exchange/amalthea/times.hpp"
#include "tactus/exchange/node_names.hpp"

namespace tactus::exchange::amalthea {
namespace {

class ChainReader {
 public:
  ChainReader(const Model& model, const TaskOf& task_of, Told& told)
      : model_(model), task_of_(task_of), told_(told) {}

  std::vector<Chain> read() {
    std::map<std::string, const XmlElement*> chains;
    for (const XmlElement* one : model_.in("constraintsModel", "eventChains"))
      chains[(*one)["name"]] = one;
    std::map<std::string, std::pair<std::optional<Time>, std::optional<Time>>> limits;
    for (const XmlElement* one : model_.in("constraintsModel", "timingConstraints")) {
      const auto most = time(one->find("maximum"), Rounding::kDown);
      if (type_of(*one) != "EventChainLatencyConstraint" || !most) {
        ++told_.left_out["timing constraints that are no latency of an event chain"];
        continue;
      }
      auto& [reaction, age] = limits[reference(*one, "scope")];
      ((*one)["type"] == "Age" || (*one)["latencyType"] == "Age" ? age : reaction) = most;
    }
    UniqueNames names;
    std::vector<Chain> all_chains;
    for (const auto& [name, element] : chains) {
      Chain chain;
      chain.name = names.make(clean_name(name));
      chain.at = element->at;
      add_events(*element, chains, chain.tasks, 0);
      const auto last = std::unique(chain.tasks.begin(), chain.tasks.end());
      chain.tasks.erase(last, chain.tasks.end());
      std::set<TaskIndex> all(chain.tasks.begin(), chain.tasks.end());
      if (chain.tasks.size() < 2 || all.size() != chain.tasks.size()) {
        ++told_.left_out["event chains that do not lead from task to task"];
        continue;
      }
      if (const auto limit = limits.find(name); limit != limits.end()) {
        std::tie(chain.reaction, chain.age) = limit->second;
      }
      all_chains.push_back(std::move(chain));
    }
    return all_chains;
  }

 private:
  void add_events(const XmlElement& chain, const std::map<std::string, const XmlElement*>& chains,
                  std::vector<TaskIndex>& tasks, int depth) {
    constexpr int kDeepest = 40;
    constexpr std::size_t kMost = 100'000;
    if (depth > kDeepest || tasks.size() > kMost) {
      refuse(chain, "this event chain is too long, or a part of itself");
    }
    add_event(reference(chain, "stimulus"), tasks);
    for (const XmlElement& part : chain.children) {
      if (part.name == "strands") ++told_.left_out["parallel strands of event chains"];
      if (part.name != "segments" && part.name != "items") continue;
      if (const XmlElement* inner = part.find("eventChain")) {
        add_events(*inner, chains, tasks, depth + 1);
      } else if (const auto known = chains.find(reference(part, "eventChain"));
                 known != chains.end()) {
        add_events(*known->second, chains, tasks, depth + 1);
      }
    }
    add_event(reference(chain, "response"), tasks);
  }

  /// An event of a task, or of a runnable, which stands for the tasks that call it.
  void add_event(const std::string& name, std::vector<TaskIndex>& tasks) {
    const auto event = model_.events.find(name);
    if (event == model_.events.end()) return;
    const std::string entity = reference(*event->second, "entity");
    auto task = task_of_(entity);
    if (!task && model_.runnables.contains(entity)) {
      for (const auto& [caller, element] : model_.tasks) {
        const XmlElement* graph = graph_of(*element);
        if (graph != nullptr && calls(*graph, entity, 0)) task = task_of_(caller);
        if (task) break;
      }
    }
    if (!task) {
      ++told_.left_out["events that are of no task"];
    } else if (tasks.empty() || tasks.back() != *task) {
      tasks.push_back(*task);
    }
  }

  static bool calls(const XmlElement& graph, const std::string& runnable, int depth) {
    return std::any_of(graph.children.begin(), graph.children.end(), [&](const XmlElement& item) {
      return (type_of(item) == "RunnableCall" && reference(item, "runnable") == runnable) ||
             (depth < 20 && calls(item, runnable, depth + 1));
    });
  }

  const Model& model_;
  const TaskOf& task_of_;
  Told& told_;
};

}  // namespace

std::vector<Chain> chains_of(const Model& model, const TaskOf& task_of, Told& told) {
  return ChainReader(model, task_of, told).read();
}

}  // namespace tactus::exchange::amalthea
