#include "tactus/runtime/driver/graph_mover.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

namespace tactus::runtime::driver {
namespace {

struct Edge {
  GraphNode from = nullptr, to = nullptr;
  EdgeData data;
};

Result<std::vector<GraphNode>> nodes_of(const Driver& driver, Graph graph) {
  std::size_t count = 0;
  if (auto problem =
          driver.failed(driver.graphs->graph_nodes(graph, nullptr, &count), "read a graph")) {
    return *problem;
  }
  std::vector<GraphNode> nodes(count);
  if (count == 0) return nodes;
  if (auto problem =
          driver.failed(driver.graphs->graph_nodes(graph, nodes.data(), &count), "read a graph")) {
    return *problem;
  }
  return nodes;
}

Result<std::vector<Edge>> edges_of(const Driver& driver, Graph graph) {
  std::size_t count = 0;
  if (auto problem = driver.failed(
          driver.graphs->graph_edges(graph, nullptr, nullptr, nullptr, &count), "read a graph")) {
    return *problem;
  }
  std::vector<GraphNode> from(count), to(count);
  std::vector<EdgeData> data(count);
  if (count > 0) {
    if (auto problem = driver.failed(
            driver.graphs->graph_edges(graph, from.data(), to.data(), data.data(), &count),
            "read a graph")) {
      return *problem;
    }
  }
  std::vector<Edge> edges(count);
  for (std::size_t i = 0; i < count; ++i) edges[i] = {from[i], to[i], data[i]};
  return edges;
}

/// Calls `visit(graph, node, type)` for every node, those of child graphs included.
std::optional<Error> for_each_node(
    const Driver& driver, Graph graph,
    const std::function<std::optional<Error>(Graph, GraphNode, NodeType)>& visit) {
  const auto nodes = nodes_of(driver, graph);
  if (!nodes) return nodes.error();
  for (const GraphNode node : *nodes) {
    NodeType type = NodeType::kEmpty;
    if (auto problem = driver.failed(driver.graphs->node_type(node, &type), "read a graph")) {
      return problem;
    }
    if (type == NodeType::kChild) {
      Graph child = nullptr;
      if (auto problem =
              driver.failed(driver.graphs->child_graph(node, &child), "read a child graph")) {
        return problem;
      }
      if (auto problem = for_each_node(driver, child, visit)) return problem;
    } else if (auto problem = visit(graph, node, type)) {
      return problem;
    }
  }
  return std::nullopt;
}

/// Why no plan can cover such a node; empty where it can.
const char* why_refused(NodeType type) {
  switch (type) {
    case NodeType::kKernel:
    case NodeType::kCopy:
    case NodeType::kMemset:
    case NodeType::kHost:
    case NodeType::kChild:
    case NodeType::kEmpty:
    case NodeType::kRecordEvent:
      return "";
    case NodeType::kWaitEvent:
      return "it waits for an event from outside (an event-wait node), for no known time";
    case NodeType::kSignalSemaphore:
    case NodeType::kWaitSemaphore:
      return "it uses an external semaphore, so it waits for others, or they for it";
    case NodeType::kAllocate:
    case NodeType::kFree:
      return "it allocates or frees memory (memory nodes), and such a graph cannot be cloned";
    case NodeType::kBatchMemory:
      return "it has batched memory operations, which can wait for a word in memory";
    case NodeType::kConditional:
      return "it has a conditional node: what runs is decided on the device, and such a graph "
             "cannot "
             "be cloned";
  }
  return "it has a node of an unknown type";
}

Result<KernelNode> kernel_of(const Driver& driver, GraphNode node) {
  KernelNode kernel;
  if (auto problem =
          driver.failed(driver.graphs->kernel_get(node, &kernel), "read a kernel node")) {
    return *problem;
  }
  return kernel;
}

std::optional<Error> move_kernel(const Driver& driver, GraphNode node, Context context) {
  auto kernel = kernel_of(driver, node);
  if (!kernel) return kernel.error();
  const bool fixed = kernel->kernel == nullptr;
  if (fixed || kernel->context == context) return std::nullopt;
  kernel->function = nullptr;  // else its context would be ignored
  kernel->context = context;
  return driver.failed(driver.graphs->kernel_set(node, &*kernel), "move a kernel");
}

/// The same node once more, in the context, without edges.
Result<GraphNode> add_anew(const Driver& driver, Graph graph, GraphNode node, NodeType type,
                           Context context) {
  GraphNode made = nullptr;
  if (type == NodeType::kMemset) {
    MemsetNode memset;
    if (auto problem =
            driver.failed(driver.graphs->memset_get(node, &memset), "read a memset node")) {
      return *problem;
    }
    if (auto problem =
            driver.failed(driver.graphs->memset_add(&made, graph, nullptr, 0, &memset, context),
                          "move a memset")) {
      return *problem;
    }
    return made;
  }
  CopyNode copy;
  if (auto problem = driver.failed(driver.graphs->copy_get(node, &copy), "read a copy node")) {
    return *problem;
  }
  if (auto problem = driver.failed(
          driver.graphs->copy_add(&made, graph, nullptr, 0, &copy, context), "move a copy")) {
    return *problem;
  }
  return made;
}

std::optional<Error> replace(const Driver& driver, Graph graph, GraphNode node, NodeType type,
                             Context context) {
  const auto made = add_anew(driver, graph, node, type, context);
  if (!made) return made.error();
  const auto edges = edges_of(driver, graph);
  if (!edges) return edges.error();
  for (Edge edge : *edges) {
    if (edge.from != node && edge.to != node) continue;
    if (edge.from == node) edge.from = *made;
    if (edge.to == node) edge.to = *made;
    if (auto problem =
            driver.failed(driver.graphs->add_edges(graph, &edge.from, &edge.to, &edge.data, 1),
                          "order a graph")) {
      return problem;
    }
  }
  return driver.failed(driver.graphs->node_destroy(node), "replace a node");
}

}  // namespace

Result<GraphContents> survey(const Driver& driver, Graph graph) {
  GraphContents contents;
  const auto count = [&](Graph, GraphNode node, NodeType type) -> std::optional<Error> {
    if (const char* why = why_refused(type); *why != '\0') return Error{why};
    contents.memsets += type == NodeType::kMemset ? 1 : 0;
    contents.copies += type == NodeType::kCopy ? 1 : 0;
    contents.host_functions += type == NodeType::kHost ? 1 : 0;
    if (type != NodeType::kKernel) return std::nullopt;
    const auto kernel = kernel_of(driver, node);
    if (!kernel) return kernel.error();
    ++contents.kernels;
    contents.fixed_kernels += kernel->kernel == nullptr ? 1 : 0;
    return std::nullopt;
  };
  if (auto problem = for_each_node(driver, graph, count)) return *problem;
  return contents;
}

std::optional<Error> move_into(const Driver& driver, Graph graph, Context context) {
  struct Found {
    Graph graph;
    GraphNode node;
    NodeType type;
  };
  std::vector<Found> all;  // first: replacing nodes changes what is walked over
  if (auto problem = for_each_node(
          driver, graph, [&](Graph in, GraphNode node, NodeType type) -> std::optional<Error> {
            all.push_back({in, node, type});
            return std::nullopt;
          })) {
    return problem;
  }
  for (const Found& found : all) {
    std::optional<Error> problem;
    if (found.type == NodeType::kKernel) problem = move_kernel(driver, found.node, context);
    if (found.type == NodeType::kMemset || found.type == NodeType::kCopy) {
      problem = replace(driver, found.graph, found.node, found.type, context);
    }
    if (problem) return problem;
  }
  return std::nullopt;
}

Result<std::size_t> kernels_outside(const Driver& driver, Graph graph, Context context) {
  std::size_t outside = 0;
  const auto count = [&](Graph, GraphNode node, NodeType type) -> std::optional<Error> {
    if (type != NodeType::kKernel) return std::nullopt;
    const auto kernel = kernel_of(driver, node);
    if (!kernel) return kernel.error();
    outside += kernel->context != context ? 1 : 0;
    return std::nullopt;
  };
  if (auto problem = for_each_node(driver, graph, count)) return *problem;
  return outside;
}

Result<GraphEnds> ends_of(const Driver& driver, Graph graph) {
  const auto nodes = nodes_of(driver, graph);
  if (!nodes) return nodes.error();
  const auto edges = edges_of(driver, graph);
  if (!edges) return edges.error();
  std::set<GraphNode> have_before, have_after;
  for (const Edge& edge : *edges) {
    have_after.insert(edge.from);
    have_before.insert(edge.to);
  }
  GraphEnds ends;
  for (const GraphNode node : *nodes) {
    if (!have_before.contains(node)) ends.first.push_back(node);
    if (!have_after.contains(node)) ends.last.push_back(node);
  }
  return ends;
}

std::string describe(const GraphContents& contents) {
  std::string out;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    out += fmt::format("{}{} {}{}", out.empty() ? "" : ", ", count, what, count == 1 ? "" : "s");
  };
  add(contents.kernels, "kernel");
  add(contents.memsets, "memset");
  if (contents.copies > 0) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", contents.copies,
                       contents.copies == 1 ? "copy" : "copies");
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace tactus::runtime::driver
