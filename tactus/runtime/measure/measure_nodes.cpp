#include "tactus/runtime/measure/measure_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/host/date.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/reserve.hpp"
#include "tactus/runtime/driver/enemies.hpp"
#include "tactus/runtime/measure/measure_cast.hpp"
#include "tactus/runtime/measure/measure_width.hpp"

namespace tactus::runtime {
namespace {

using Kind = MeasuredNode::Kind;

/// Noise of at most this part of a period is no reason to refuse a measurement.
constexpr int kNoisyShare = 50;

std::int64_t divisible_on(const Capabilities& machine) {
  return machine.divisible > 0 ? machine.divisible : machine.sms;
}

/// One step of partitions, two, four ... and all that can be divided.
std::vector<std::int64_t> usual_widths(const Capabilities& machine) {
  const std::int64_t all = divisible_on(machine);
  std::vector<std::int64_t> widths;
  for (std::int64_t width = std::max<std::int64_t>(machine.partition_least, 1); width < all;
       width *= 2) {
    widths.push_back(width);
  }
  if (all > 0) widths.push_back(all);
  return widths;
}

/// The worst neighbour. Of a copy it matters that copies were among them, too.
std::string enemy_of(const MeasuredWidth& width, Kind kind) {
  const auto copies = [](const SeenBeside& seen) { return seen.neighbour.starts_with("copies"); };
  const SeenBeside& worst = width.worst();
  const bool among = std::any_of(width.beside.begin(), width.beside.end(), copies);
  if (kind != Kind::kCopy || !among || copies(worst)) return worst.neighbour;
  return worst.neighbour + "; not worse beside copies";
}

/// In percent, as it came out: the tail, or a doubt about it, may have asked for more.
std::int64_t margin_of(const MeasuredWidth& width, std::int64_t asked) {
  const Time longest = width.worst().statistics.max;
  const auto percent = [&](std::int64_t margin) {
    return Reserve{margin, Reserve::kMeasured}.above(longest);
  };
  while (longest > Time() && percent(asked) < width.wcet) ++asked;
  return asked;
}

/// What was measured, written into the node.
void write_into(Node& node, const MeasuredNode& seen, const std::string& machine,
                const MeasureOptions& options) {
  const bool on_gpu = seen.kind == Kind::kGraph || seen.kind == Kind::kKernel;
  if (on_gpu) {
    node.load.reset();
    node.load_min = Time();
    node.overhead = Time();
    node.parallelism.reset();
    node.times.clear();
  }
  node.bcet = Time();
  std::int64_t runs = 0;
  const MeasuredWidth* shown = &seen.widths.back();
  for (const MeasuredWidth& width : seen.widths) {
    for (const SeenBeside& beside : width.beside) runs += std::ssize(beside.samples);
    if (width.got == 0) {
      node.wcet = width.wcet;
      if (options.bcet) node.bcet = width.bcet;
      continue;
    }
    TimesEntry entry;
    entry.units = width.got;
    entry.wcet = width.wcet;
    if (options.bcet) entry.bcet = width.bcet;
    if (!node.times.empty() && node.times.back().units == entry.units) {
      node.times.back().wcet = std::max(node.times.back().wcet, entry.wcet);
      node.times.back().bcet = std::min(node.times.back().bcet, entry.bcet);
    } else {
      node.times.push_back(entry);
    }
    // The widest that has neighbours says most.
    if (width.beside.size() > 1 || shown->beside.size() == 1) shown = &width;
  }
  const Time longest = shown->worst().statistics.max;
  Measured measured = Reserve{margin_of(*shown, options.margin)}.measured(longest, runs);
  measured.alone = shown->beside.front().statistics.max;
  measured.enemy = enemy_of(*shown, seen.kind);
  measured.on = machine;
  measured.date = host::today();
  node.measured = measured;
}

/// One width after the other, each on a fresh device: the SMs of a device are divided once.
class Measuring {
 public:
  Measuring(const System& system, const Workload& workload, const MeasureOptions& options,
            Cast cast)
      : system_(system), workload_(workload), options_(options), parties_(std::move(cast.parties)) {
    result_.notes = std::move(cast.notes);
    result_.system = system;
    if (!options.progress) return;
    options_.progress = [this, tell = options.progress](std::string_view text) {
      // How many widths there are is known once the machine is.
      tell(all_widths_ == 0 ? std::string(text)
                            : fmt::format("{} of {} widths; {}", done_widths_, all_widths_, text));
    };
  }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  Result<MeasuredNodes> run() {
    const gpu::Watch watch(has_gpu(options_) ? std::optional(options_.machine.device)
                                             : std::nullopt);
    // The whole GPU first: then the machine is known.
    if (auto problem = measure(0)) return *problem;
    std::vector<std::int64_t> widths = options_.units ? *options_.units : usual_;
    std::sort(widths.begin(), widths.end());
    widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
    const bool on_gpu = std::any_of(parties_.begin(), parties_.end(), [](const Party& party) {
      return party.measured && party.on_gpu();
    });
    if (!on_gpu) widths.clear();
    all_widths_ = widths.size() + 1;
    for (const std::int64_t width : widths) {
      ++done_widths_;
      auto problem = measure(width);
      if (problem && options_.stop.stop_requested() && done_widths_ > 1) {
        result_.notes.push_back(
            fmt::format("interrupted: {} of {} widths were measured", done_widths_, all_widths_));
        break;
      }
      if (problem) return *problem;
    }
    for (MeasuredNode& node : result_.nodes) {
      std::rotate(node.widths.begin(), node.widths.begin() + 1, node.widths.end());
    }
    result_.conditions = watch.end();
    note_conditions();
    return write();
  }

 private:
  std::optional<Error> measure(std::int64_t units) {
    std::unique_ptr<driver::Enemies> enemies;
    if (has_gpu(options_) && !options_.enemies.empty()) {
      const auto gpu = driver::open_gpu(options_.machine.device);
      if (!gpu) return gpu.error();
      using driver::Enemies;
      const bool copies = std::any_of(parties_.begin(), parties_.end(), [](const Party& party) {
        return party.measured && party.kind == Kind::kCopy;
      });
      auto made = Enemies::make(*gpu, copies ? Enemies::OfCopies::kYes : Enemies::OfCopies::kNo);
      if (!made) return made.error();
      enemies = std::move(*made);
    }
    const Arena arena = arena_of(system_, workload_, enemies.get(), options_);
    BackendOptions machine = options_.machine;
    machine.workload = &arena.workload;
    const auto device = open_backend(options_.backend, arena.system, machine);
    if (!device) return device.error();
    result_.machine = (*device)->capabilities().name;
    result_.divisible = divisible_on((*device)->capabilities());
    result_.step = std::max<std::int64_t>((*device)->capabilities().partition_step, 1);
    usual_ = usual_widths((*device)->capabilities());
    auto seen =
        WidthMeasurement(arena.system, **device, parties_, arena.enemies, options_).measure(units);
    if (!seen) return seen.error();
    return take(std::move(*seen));
  }

  std::optional<Error> take(std::vector<MeasuredWidth> seen) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const Party& party = parties_[i];
      if (!party.measured) continue;
      if (place == result_.nodes.size()) {
        result_.nodes.push_back({party.kind, party.task, party.node, {}});
      }
      MeasuredNode& node = result_.nodes[place++];
      if (seen[i].beside.empty()) continue;
      const Statistics& alone = seen[i].beside.front().statistics;
      if (!options_.noisy && options_.backend != "cpu" && party.on_gpu()) {
        if (auto problem = refuse_noise(party, alone)) return problem;
      }
      node.widths.push_back(std::move(seen[i]));
    }
    return std::nullopt;
  }

  /// What is little beside the period decides nothing.
  std::optional<Error> refuse_noise(const Party& party, const Statistics& alone) const {
    const std::optional<Time> period = system_.tasks[party.task].period;
    const Time noise = alone.p99 - alone.p50;
    if (!is_noisy(alone) || (period && kNoisyShare * noise <= *period)) return std::nullopt;
    const std::string share =
        period ? fmt::format(", {} % of its period more", mul_div_up(noise, 100, period->ns()).ns())
               : "";
    return Error{fmt::format(
        "the machine is noisy: {} alone takes {} ns (p50) but {} ns (p99){}; find out what else "
        "runs, or ask for noisy-ok",
        party.name, alone.p50.ns(), alone.p99.ns(), share)};
  }

  void note_conditions() {
    if (options_.backend == "cpu") {
      result_.notes.push_back("measured without a GPU: on one, these times mean nothing");
    } else if (is_emulated(options_)) {
      result_.notes.push_back(
          "the emulator takes the times of the file, and nothing disturbs anything there: this "
          "shows the procedure, not a machine");
    } else if (!result_.conditions.after) {
      result_.notes.push_back(
          "clocks and temperature are not known: libnvidia-ml.so.1 (NVML) does not tell them");
    }
  }

  Result<MeasuredNodes> write() {
    for (const MeasuredNode& node : result_.nodes) {
      write_into(result_.system.tasks[node.task].nodes[node.node], node, result_.machine, options_);
    }
    ReadResult checked = check_system(std::move(result_.system));
    if (!checked.system) return Error{checked.diagnostics.front().message};
    result_.system = std::move(*checked.system);
    return std::move(result_);
  }

  const System& system_;
  const Workload& workload_;
  MeasureOptions options_;  ///< whose progress also counts the widths
  std::size_t done_widths_ = 0, all_widths_ = 0;
  const std::vector<Party> parties_;
  std::vector<std::int64_t> usual_;
  MeasuredNodes result_;
};

}  // namespace

const SeenBeside& MeasuredWidth::worst() const {
  return *std::max_element(
      beside.begin(), beside.end(),
      [](const SeenBeside& a, const SeenBeside& b) { return a.statistics.max < b.statistics.max; });
}

std::string_view word_of(MeasuredNode::Kind kind) {
  switch (kind) {
    case Kind::kGraph:
      return "graph";
    case Kind::kKernel:
      return "kernel";
    case Kind::kCpu:
      return "cpu";
    case Kind::kCopy:
      return "copy";
  }
  return "";
}

bool is_noisy(const Statistics& alone) {
  return alone.p99 > mul_div_up(alone.p50, 110, 100) + Time::from_us(20);
}

Result<MeasuredNodes> measure_nodes(const System& system, const Workload& workload,
                                    const MeasureOptions& options) {
  if (auto problem = workload.misfit(system)) return *problem;
  if (auto problem = unknown_in(system, options)) return *problem;
  Cast cast = cast_of(system, workload, options);
  const bool any = std::any_of(cast.parties.begin(), cast.parties.end(),
                               [](const Party& party) { return party.measured; });
  if (!any) {
    return Error{cast.notes.empty() ? "there is nothing to measure: no node of the file is on a GPU"
                                    : "there is nothing to measure: " + cast.notes.front()};
  }
  return Measuring(system, workload, options, std::move(cast)).run();
}

}  // namespace tactus::runtime
