#include "tactus/runtime/driver/prepared_graph.hpp"

#include <fmt/core.h>

#include <atomic>

#include "tactus/runtime/driver/mark_kernel.ptx.hpp"

namespace tactus::runtime::driver {
namespace {

constexpr int kRelaxed = 2;              // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr unsigned kPortableMapped = 3;  // CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP

}  // namespace

Result<Kernel> load_mark_kernel(const Driver& driver) {
  Library library = nullptr;  // stays loaded: graphs of several devices may use it
  if (auto problem = driver.failed(driver.graphs->library_load(&library, kMarkKernelPtx, nullptr,
                                                               nullptr, 0, nullptr, nullptr, 0),
                                   "load the kernel that marks start and end")) {
    return *problem;
  }
  Kernel kernel = nullptr;
  if (auto problem = driver.failed(driver.graphs->library_kernel(&kernel, library, "mark"),
                                   "find the kernel that marks start and end")) {
    return *problem;
  }
  return kernel;
}

Result<std::unique_ptr<PreparedGraph>> PreparedGraph::make(const Driver& driver,
                                                           const UserGraph& source,
                                                           const SmPartition& partition,
                                                           Kernel mark, int priority) {
  std::unique_ptr<PreparedGraph> made(new PreparedGraph(driver));
  made->sms_ = partition.sms();
  const auto stream = partition.make_stream(priority);
  if (!stream) return stream.error();
  made->stream_ = *stream;
  if (auto problem = made->take(source, partition)) return *problem;
  if (auto problem = made->add_marks(mark, partition.context())) return *problem;
  if (auto problem = made->make_ready()) return *problem;
  return made;
}

PreparedGraph::~PreparedGraph() {
  // With a lost context everything is lost: nobody asks how these end.
  if (stream_ != nullptr) driver_.base->stream_wait(stream_);
  if (exec_ != nullptr) driver_.graphs->exec_destroy(exec_);
  if (graph_ != nullptr) driver_.graphs->graph_destroy(graph_);
  if (marks_ != nullptr) driver_.base->host_free(marks_);
  if (stream_ != nullptr) driver_.graphs->stream_destroy(stream_);
}

/// A clone of the user's graph where its kernels can be moved, else what the user's function
/// enqueues.
std::optional<Error> PreparedGraph::take(const UserGraph& source, const SmPartition& partition) {
  std::string why_captured;
  if (source.graph != nullptr) {
    const auto contents = survey(driver_, source.graph);
    if (!contents && !source.enqueue) return contents.error();
    if (!contents) why_captured = contents.error().message;
    if (contents && contents->fixed_kernels > 0 && !partition.whole()) {
      why_captured = fmt::format("{} of {} kernels cannot be moved", contents->fixed_kernels,
                                 contents->kernels);
      if (!source.enqueue) {
        return Error{
            why_captured +
            " into a partition (they have no `kern` handle, as those of Triton and "
            "torch.compile); bind a function that enqueues them instead, which is captured "
            "in the partition"};
      }
    }
    if (why_captured.empty()) {
      if (auto problem =
              driver_.failed(driver_.graphs->graph_clone(&graph_, source.graph), "clone a graph")) {
        return problem;
      }
      how_ = describe(*contents) + (partition.whole() ? ", on the whole GPU" : " moved");
      return settle_in(partition);
    }
  }
  if (auto problem = capture(source)) return problem;
  const auto contents = survey(driver_, graph_);
  if (!contents) return contents.error();
  how_ = fmt::format("captured {}: {}", partition.whole() ? "on the whole GPU" : "in the partition",
                     why_captured.empty() ? describe(*contents) : why_captured);
  return settle_in(partition);
}

std::optional<Error> PreparedGraph::capture(const UserGraph& source) {
  if (auto problem =
          driver_.failed(driver_.graphs->capture_begin(stream_, kRelaxed), "capture a stream")) {
    return problem;
  }
  std::string thrown;
  try {
    source.enqueue(stream_);
  } catch (const std::exception& exception) {
    thrown = exception.what();
  } catch (...) {
    thrown = "an unknown exception";
  }
  const Code code = driver_.graphs->capture_end(stream_, &graph_);
  if (!thrown.empty()) return Error{"the function that enqueues it failed: " + thrown};
  return driver_.failed(code,
                        "end the capture (the function may not wait for the stream, and must "
                        "join every stream that it uses)");
}

/// Everything inside, and evidence for it.
std::optional<Error> PreparedGraph::settle_in(const SmPartition& partition) {
  const auto contents = survey(driver_, graph_);
  if (!contents) return contents.error();
  if (contents->kernels + contents->memsets + contents->copies == 0) {
    return Error{"it is empty"};
  }
  if (contents->host_functions > 0) {
    how_ +=
        fmt::format("; {} host functions run on a thread of the driver", contents->host_functions);
  }
  if (partition.whole()) return std::nullopt;
  if (auto problem = move_into(driver_, graph_, partition.context())) return problem;
  const auto outside = kernels_outside(driver_, graph_, partition.context());
  if (!outside) return outside.error();
  if (*outside == 0) return std::nullopt;
  return Error{
      fmt::format("{} of its {} kernels are outside of the partition: the function enqueued "
                  "them on a stream of its own",
                  *outside, contents->kernels)};
}

std::optional<Error> PreparedGraph::add_marks(Kernel mark, Context context) {
  void* memory = nullptr;
  if (auto problem = driver_.failed(
          driver_.base->host_allocate(&memory, 2 * sizeof(Mark), kPortableMapped), "pin memory")) {
    return problem;
  }
  marks_ = static_cast<Mark*>(memory);
  marks_[0] = marks_[1] = Mark();
  Address on_device = 0;
  if (auto problem =
          driver_.failed(driver_.graphs->host_address(&on_device, memory, 0), "map memory")) {
    return problem;
  }
  const auto ends = ends_of(driver_, graph_);
  if (!ends) return ends.error();
  const auto add = [&](Address at, const std::vector<GraphNode>& after,
                       GraphNode* made) -> std::optional<Error> {
    void* parameters[] = {&at};
    KernelNode node;
    node.kernel = mark;
    node.context = context;
    node.parameters = parameters;
    return driver_.failed(
        driver_.graphs->kernel_add(made, graph_, after.data(), after.size(), &node), "add a mark");
  };
  GraphNode first = nullptr, last = nullptr;
  if (auto problem = add(on_device + sizeof(Mark), ends->last, &last)) return problem;
  if (auto problem = add(on_device, {}, &first)) return problem;
  const std::vector<GraphNode> from(ends->first.size(), first);
  return driver_.failed(
      driver_.graphs->add_edges(graph_, from.data(), ends->first.data(), nullptr, from.size()),
      "add a mark");
}

std::optional<Error> PreparedGraph::make_ready() {
  const GraphApi& api = *driver_.graphs;
  if (auto problem = driver_.failed(api.instantiate(&exec_, graph_, 0), "make a graph ready")) {
    return problem;
  }
  if (auto problem = driver_.failed(api.upload(exec_, stream_), "upload a graph")) return problem;
  return driver_.failed(driver_.base->stream_wait(stream_), "upload a graph");
}

std::optional<Error> PreparedGraph::launch() {
  marks_[0] = marks_[1] = Mark();
  std::atomic_thread_fence(std::memory_order_release);
  return driver_.failed(driver_.graphs->launch(exec_, stream_), "launch a graph");
}

bool PreparedGraph::ended() const {
  return std::atomic_ref(marks_[1].time).load(std::memory_order_acquire) != 0;
}

std::optional<Error> PreparedGraph::wait() const {
  return driver_.failed(driver_.base->stream_wait(stream_), "go on with a graph");
}

std::optional<Error> PreparedGraph::fault() const {
  const Code code = driver_.base->stream_query(stream_);
  if (code == host::kNotReady) return std::nullopt;
  return driver_.failed(code, "go on with a graph");
}

}  // namespace tactus::runtime::driver
