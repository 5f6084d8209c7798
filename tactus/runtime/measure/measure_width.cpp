#include "tactus/runtime/measure/measure_width.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/gpu_time.hpp"
#include "tactus/model/reserve.hpp"

namespace tactus::runtime {
namespace {

using Kind = MeasuredNode::Kind;

constexpr int kTurn = 20;  ///< runs before the next neighbour has its turn
constexpr OpId kMeasured = 0;

double autocorrelation(const std::vector<Time>& samples) {
  if (samples.size() < 3) return 0;
  double mean = 0, all = 0, next = 0;
  for (const Time sample : samples) mean += static_cast<double>(sample.ns());
  mean /= static_cast<double>(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double off = static_cast<double>(samples[i].ns()) - mean;
    all += off * off;
    if (i + 1 < samples.size()) next += off * (static_cast<double>(samples[i + 1].ns()) - mean);
  }
  return all > 0 ? next / all : 0;
}

/// What a node does by its file: blocks of one SM each, and the time of one.
struct Grid {
  std::int64_t blocks = 1;
  Time each;
};
Grid grid_of(const Element& gpu, const Node& node, std::int64_t width) {
  if (!node.times.empty()) {
    const TimesEntry* entry = entry_for(node.times, width);
    const TimesEntry& taken = entry != nullptr ? *entry : node.times.front();
    return {taken.units, taken.wcet};
  }
  if (node.load) return {width, div_up(*node.load, width)};
  if (!node.wcet) return {width, Time()};
  return {node.parallelism.value_or(gpu.units), *node.wcet};
}

}  // namespace

std::string why_without_work(const System& system, const Node& node) {
  const Element& element = system.platform.elements[node.on];
  if (!node.wcet && !node.load && node.times.empty()) {
    return "the file gives no time for it, and nothing is bound to it";
  }
  if (element.kind == ElementKind::kGpu && element.lanes > 1) {
    return "its element has lanes, and a node that is measured has whole SMs";
  }
  return {};
}

WidthMeasurement::WidthMeasurement(const System& system, Device& device,
                                   const std::vector<Party>& parties,
                                   const std::vector<Party>& enemies, const MeasureOptions& options)
    : system_(system),
      device_(device),
      parties_(parties),
      enemies_(enemies),
      options_(options),
      filling_(RunOptions(), device.capabilities()) {}

bool WidthMeasurement::measures(const Party& party) const {
  return party.measured && (whole_ || party.on_gpu());
}

Result<std::vector<MeasuredWidth>> WidthMeasurement::measure(std::int64_t units) {
  if (auto problem = divide(units)) return *problem;
  std::vector<MeasuredWidth> widths;
  for (const Party& party : parties_) {
    MeasuredWidth& width = widths.emplace_back();
    if (!measures(party)) continue;
    width.asked = units;
    width.got = whole_ ? 0 : got_;
    if (party.kind != Kind::kGraph) continue;
    const auto how = device_.prepare(replay_of(party, own_, got_));
    if (!how) return Error{fmt::format("the graph of {}: {}", party.name, how.error().message)};
    width.how = *how;
  }
  if (auto problem = prepare_neighbours()) return *problem;
  if (auto problem = device_.start()) return *problem;
  for (int done = 0; done < options_.runs; done += kTurn) {
    for (std::size_t i = 0; i < parties_.size(); ++i) {
      if (!measures(parties_[i])) continue;
      if (auto problem = take_turns(i, std::min(kTurn, options_.runs - done), widths[i])) {
        return *problem;
      }
    }
  }
  for (MeasuredWidth& width : widths) {
    if (!width.beside.empty()) finish(width);
  }
  return widths;
}

std::optional<Error> WidthMeasurement::divide(std::int64_t units) {
  const Capabilities& machine = device_.capabilities();
  whole_ = units == 0;
  got_ = machine.sms;
  if (whole_) {
    // What is not on a GPU has neighbours on all of it.
    if (std::any_of(parties_.begin(), parties_.end(),
                    [](const Party& party) { return party.measured && !party.on_gpu(); })) {
      rest_ = Partition{kWholeGpu, got_, got_};
    }
    return std::nullopt;
  }
  const std::int64_t step = std::max<std::int64_t>(machine.partition_step, 1);
  const std::int64_t own = std::max((units + step - 1) / step * step, machine.partition_least);
  const std::int64_t rest = (machine.divisible > 0 ? machine.divisible : machine.sms) - own;
  std::vector<std::int64_t> widths = {units};
  if (rest > 0 && rest >= machine.partition_least) widths.push_back(rest);
  const auto made = device_.partition(widths);
  if (!made) return made.error();
  own_ = made->front().id;
  got_ = made->front().got;
  if (made->size() > 1) rest_ = made->back();
  return std::nullopt;
}

std::optional<Error> WidthMeasurement::prepare_neighbours() {
  if (!rest_) return std::nullopt;
  for (const auto* parties : {&enemies_, &parties_}) {
    for (const Party& party : *parties) {
      const bool prepared = whole_ && party.measured && parties == &parties_;
      if (party.kind != Kind::kGraph || prepared) continue;
      if (const auto how = device_.prepare(replay_of(party, rest_->id, rest_->got)); !how) {
        return Error{fmt::format("the graph of {}: {}", party.name, how.error().message)};
      }
    }
  }
  return std::nullopt;
}

std::vector<WidthMeasurement::Neighbours> WidthMeasurement::neighbours_of(std::size_t party) const {
  std::vector<Neighbours> all = {{}};
  if (!rest_ || (whole_ && parties_[party].on_gpu())) return all;
  for (const Party& enemy : enemies_) {
    if (!enemy.of_copies || parties_[party].kind == Kind::kCopy) all.push_back({&enemy});
  }
  for (std::size_t i = 0; i < parties_.size(); ++i) {
    const bool copies = parties_[i].kind == Kind::kCopy && parties_[party].kind == Kind::kCopy;
    if (i != party && (parties_[i].on_gpu() || copies)) all.push_back({&parties_[i]});
  }
  const bool pairs = options_.pairs && parties_[party].on_gpu();
  for (std::size_t a = 0; pairs && a < enemies_.size(); ++a) {
    for (std::size_t b = a + 1; b < enemies_.size(); ++b) {
      if (enemies_[a].of_copies || enemies_[b].of_copies) continue;
      all.push_back({&enemies_[a], &enemies_[b]});
    }
  }
  return all;
}

std::optional<Error> WidthMeasurement::take_turns(std::size_t party, int runs,
                                                  MeasuredWidth& width) {
  const auto neighbours = neighbours_of(party);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (width.beside.size() <= i) {
      std::string name = neighbours[i].empty() ? "nothing" : neighbours[i].front()->name;
      if (neighbours[i].size() > 1) name += " and " + neighbours[i].back()->name;
      width.beside.push_back({std::move(name), {}, {}, 0, false, {}});
    }
    if (options_.stop.stop_requested()) return Error{"interrupted"};
    SeenBeside& seen = width.beside[i];
    if (options_.progress) {
      const std::string where = whole_ ? "" : fmt::format(" on {} SMs", got_);
      options_.progress(fmt::format("{}{} beside {}", parties_[party].name, where, seen.neighbour));
    }
    if (auto problem = run_beside(parties_[party], neighbours[i], runs, seen.samples)) {
      return problem;
    }
  }
  return std::nullopt;
}

std::optional<Error> WidthMeasurement::run_beside(const Party& party, const Neighbours& neighbours,
                                                  int runs, std::vector<Time>& samples) {
  std::set<OpId> flying;
  bool done = false;
  const auto wait = [&]() -> std::optional<Error> {
    const auto completions = device_.wait(std::nullopt);
    if (!completions) return completions.error();
    for (const Completion& completion : *completions) {
      if (completion.failed) return Error{completion.problem};
      done = done || completion.op == kMeasured;
      flying.erase(completion.op);
    }
    return std::nullopt;
  };
  // One more run first, for the caches and the clocks.
  for (int i = 0; i <= runs; ++i) {
    for (std::size_t n = 0; n < neighbours.size(); ++n) {
      if (!flying.insert(n + 1).second) continue;
      if (auto problem = submit(*neighbours[n], rest_->id, rest_->got, n + 1)) return problem;
    }
    const Time begin = device_.now();
    if (auto problem = submit(party, own_, got_, kMeasured)) return problem;
    for (done = false; !done;) {
      if (auto problem = wait()) return problem;
    }
    if (i > 0) samples.push_back(device_.now() - begin);
  }
  while (!flying.empty()) {
    if (auto problem = wait()) return problem;
  }
  return std::nullopt;
}

std::optional<Error> WidthMeasurement::submit(const Party& party, PartitionId partition,
                                              std::int64_t width, OpId op) {
  const Node& node = node_of(party);
  const Time wcet = node.wcet.value_or(Time());
  switch (party.kind) {
    case Kind::kGraph:
      return device_.launch(replay_of(party, partition, width), op);
    case Kind::kKernel:
      return device_.launch(kernel_of(party, partition, width), op);
    case Kind::kCpu:
      return device_.run(
          CpuWork{party.task, party.node, 0, 0, filling_.alone(wcet), node.bcet, wcet}, op);
    case Kind::kCopy:
      // Beside others, each on an engine of its own as far as there are any.
      return device_.copy(Copy{party.task, party.node, static_cast<std::int64_t>(op),
                               direction_of(party), filling_.alone(wcet), node.bcet, wcet},
                          op);
  }
  return std::nullopt;
}

/// To the host, if a kernel of its job comes before it and none after it.
Direction WidthMeasurement::direction_of(const Party& party) const {
  const Task& task = system_.tasks[party.task];
  const auto reaches_kernel = [&](auto next) {
    std::vector<NodeIndex> found = {party.node};
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const NodeIndex node : next(found[i])) {
        const Element& element = system_.platform.elements[task.nodes[node].on];
        if (element.kind == ElementKind::kGpu) return true;
        if (std::find(found.begin(), found.end(), node) == found.end()) found.push_back(node);
      }
    }
    return false;
  };
  const bool before = reaches_kernel([&](NodeIndex n) { return task.graph.predecessors(n); });
  const bool after = reaches_kernel([&](NodeIndex n) { return task.graph.successors(n); });
  return before && !after ? Direction::kToHost : Direction::kToDevice;
}

Kernel WidthMeasurement::kernel_of(const Party& party, PartitionId partition,
                                   std::int64_t width) const {
  const Node& node = node_of(party);
  const Grid grid = grid_of(system_.platform.elements[node.on], node, width);
  Kernel kernel;
  kernel.task = party.task;
  kernel.node = party.node;
  kernel.partition = partition;
  kernel.blocks = grid.blocks;
  kernel.load = grid.blocks * filling_.alone(grid.each);
  kernel.whole = kernel.load;
  kernel.longest = grid.each;
  kernel.least = std::min(node.bcet, grid.each);
  return kernel;
}

Replay WidthMeasurement::replay_of(const Party& party, PartitionId partition,
                                   std::int64_t width) const {
  const Node& node = node_of(party);
  const Grid grid = grid_of(system_.platform.elements[node.on], node, width);
  Replay replay;
  replay.task = party.task;
  replay.node = party.node;
  replay.partition = partition;
  // A GPU takes what the graph takes; the emulator takes this.
  replay.longest = grid.each > Time() ? grid.each : Time::from_ms(1000);
  return replay;
}

/// From what was seen beside one neighbour to what is relied on.
Time WidthMeasurement::relied_on(const SeenBeside& seen) const {
  const bool counts = seen.samples.size() >= kFewestForDoubt;
  const int margin = counts && !seen.tail.trusted() ? 2 * options_.margin : options_.margin;
  const Time above = Reserve{margin, Reserve::kMeasured}.above(seen.statistics.max);
  if (!seen.tail.trusted()) return above;
  return std::max(above,
                  Reserve{0, Reserve::kMeasured}.above(seen.tail.exceeded_with(kExceedance)));
}

void WidthMeasurement::finish(MeasuredWidth& width) const {
  Time least = Time::max();
  for (SeenBeside& seen : width.beside) {
    seen.statistics = statistics_of(seen.samples);
    seen.autocorrelation = autocorrelation(seen.samples);
    const auto longest = std::max_element(seen.samples.begin(), seen.samples.end());
    seen.grew = *longest > seen.statistics.min &&
                longest - seen.samples.begin() >= std::ssize(seen.samples) / 2;
    seen.tail = tail_of(seen.samples, seen.autocorrelation);
    least = std::min(least, seen.statistics.min);
    width.wcet = std::max(width.wcet, relied_on(seen));
  }
  width.bcet = Reserve{options_.margin, Reserve::kMeasured}.below(least);
}

}  // namespace tactus::runtime
