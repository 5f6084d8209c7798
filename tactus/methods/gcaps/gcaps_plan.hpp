#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/methods/described.hpp"
#include "tactus/methods/gcaps/family.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::gcaps {

/// What the methods of the family need at run time, besides their way of sharing the GPU: the core of every
/// task, CPU and GPU priorities, and whether tasks suspend or spin while the GPU works. Under them
/// every bound of the verdict holds.
class PriorityPlan final : public Plan {
 public:
  /// A real-time task.
  struct Entry {
    TaskIndex task;
    std::int64_t priority, gpu_priority;
    std::optional<Time> bound = {};  ///< as promised; none if nothing is promised
  };
  Mode waiting = Mode::kSuspend;
  std::vector<std::int64_t> cores;  ///< by task, those of best-effort tasks too
  std::vector<Entry> entries;       ///< in decreasing CPU priority

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override;
};

/// The plan with the file's cores and priorities, and with the bounds of
/// `verdict` if it proves every deadline. @param levels the GPU
/// priorities by task; empty: the file's @pre the methods apply to
/// `system`
PriorityPlan plan_of(const System& system, Mode waiting, const Verdict& verdict,
                     const std::vector<std::int64_t>& levels = {});

/// Writes into a system what a plan says beyond priorities, and says what is wrong with it.
using Prepare = std::function<void(System& planned, std::vector<std::string>& failures)>;

/// Conditions of a plan that do not hold: it names every task that it must name once, keeps cores
/// and CPU priorities of the file, and with its GPU priorities written into the file the method
/// `plain`, which assigns none itself, proves every deadline, by the bounds of the plan.
std::vector<std::string> check_priority_plan(const System& system, const json::Value& plan,
                                             const Method& plain, Mode waiting,
                                             const Prepare& prepare = {});

/// The verdict of `plain` with these priorities, and with the bounds that the plan states.
Verdict read_priority_plan(const System& system, const json::Value& plan, const Method& plain,
                           Mode waiting, const Prepare& prepare = {});

/// `Method::check_plan` and `Method::read_plan`.
template <const Method& kPlain, Mode kWaiting>
std::vector<std::string> check_plan_by(const System& system, const json::Value& plan) {
  return check_priority_plan(system, plan, kPlain, kWaiting);
}
template <const Method& kPlain, Mode kWaiting>
Verdict read_plan_by(const System& system, const json::Value& plan) {
  return read_priority_plan(system, plan, kPlain, kWaiting);
}

/// What the two methods of a protocol share, whatever tasks do while the GPU works.
struct Protocol {
  std::string_view assumes, needs;
  Part part;
  GpuBetween processes;
  Monotone monotone = {};
  std::span<const std::string_view> variants = kVariants;
  std::span<const OptionSpec> options = {};
};

/// A method of the family: its protocol, its mode, and what is its own. `kPlain` is the method that
/// proves a plan's priorities without assigning any.
template <const Method& kPlain, Mode kMode>
constexpr Method in_mode(const Protocol& protocol, std::string_view id, std::string_view title,
                         std::string_view behaviour, const Ways& ways) {
  Method method = described(id, title, kPaperTitle, protocol.assumes);
  method.needs = protocol.needs;
  method.variants = protocol.variants;
  method.options = protocol.options;
  method.makes_plan = true;
  method.analyze = ways.analyze;
  method.decide = ways.decide;
  method.check_plan = check_plan_by<kPlain, kMode>;
  method.read_plan = read_plan_by<kPlain, kMode>;
  method.behaviour = {.name = behaviour,
                      .recipe = "gcaps-small",
                      .processes = protocol.processes,
                      .busy_wait = kMode == Mode::kBusy};
  method.look = {.part = protocol.part, .second = kMode == Mode::kBusy};
  method.monotone = protocol.monotone;
  return method;
}

}  // namespace tactus::gcaps
