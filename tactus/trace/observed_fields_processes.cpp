#include <array>

#include "tactus/trace/observed_codecs.hpp"
#include "tactus/trace/observed_fields.hpp"

/// Processes that share a GPU, in the JSON of a run.
namespace tactus {

using namespace codec;  // the words of the tables below
using namespace trace;

template <>
std::span<const Field<JobParts>> fields<JobParts>() {
  static constexpr auto kTable = std::to_array<Field<JobParts>>({
      always<&JobParts::job, Number>("job", "Its number, from 0"),
      always<&JobParts::response, TimeSeen>("response", "From release to end"),
      always<&JobParts::late, TimeSeen>("late", "From its release to its first instruction"),
      always<&JobParts::cpu, TimeSeen>("cpu", "Outside of segments"),
      always<&JobParts::begin, TimeSeen>("begin", "The wait for the GPU, or for the lock"),
      always<&JobParts::launch, TimeSeen>("launch", "To launch work"),
      always<&JobParts::gpu, TimeSeen>("gpu", "From launch to completion"),
      always<&JobParts::end, TimeSeen>("end", "To leave the GPU"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedProcess>> fields<ObservedProcess>() {
  static constexpr auto kTable = std::to_array<Field<ObservedProcess>>({
      where_known<&ObservedProcess::tier, Text>("tier", "The tier in use"),
      always<&ObservedProcess::real_time, Flag>("real_time", "Had its priority on the CPU"),
      always<&ObservedProcess::segments, Number>("segments", "GPU segments"),
      always<&ObservedProcess::unarbitrated, Number>("unarbitrated",
                                                     "Segments that ran without the arbiter"),
      always<&ObservedProcess::shared, Number>(
          "shared", "Segments that began while another task had not left the GPU in time"),
      always<&ObservedProcess::wrong_results, Number>("wrong_results",
                                                      "Segments with a wrong result"),
      always<&ObservedProcess::resumed, Number>("resumed", "Relaunches after a yield"),
      always<&ObservedProcess::begins, Spread>("begin",
                                               "How long each begin that got the GPU at once took"),
      always<&ObservedProcess::worst, Object<JobParts>>("worst",
                                                        "Where the time of its longest job went"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedUpdates>> fields<ObservedUpdates>() {
  static constexpr auto kTable = std::to_array<Field<ObservedUpdates>>({
      always<&ObservedUpdates::count, Number>("count", "How many"),
      always<&ObservedUpdates::mean, TimeSeen>("mean", "Of the time they took"),
      always<&ObservedUpdates::max, TimeSeen>("max", "The longest"),
      always<&ObservedUpdates::take_off_max, TimeSeen>("take_off_max",
                                                       "The longest time to take a task off"),
      always<&ObservedUpdates::put_back_max, TimeSeen>("put_back_max",
                                                       "The longest time to put a task back"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedOperation>> fields<ObservedOperation>() {
  static constexpr auto kTable = std::to_array<Field<ObservedOperation>>({
      always<&ObservedOperation::count, Number>("count", "How many"),
      always<&ObservedOperation::mean, TimeSeen>("mean", "From the decision to its effect"),
      always<&ObservedOperation::max, TimeSeen>("max", "The longest"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedOperations>> fields<ObservedOperations>() {
  static constexpr auto kTable = std::to_array<Field<ObservedOperations>>({
      always<&ObservedOperations::start, Object<ObservedOperation>>("start",
                                                                    "A gate was opened: st"),
      always<&ObservedOperations::off, Object<ObservedOperation>>(
          "off", "A segment was taken off the GPU: a preemption"),
      always<&ObservedOperations::on, Object<ObservedOperation>>("on", "A segment was put back"),
      always<&ObservedOperations::late_max, TimeSeen>(
          "late_max", "How late the arbiter may have seen that work was complete"),
      always<&ObservedOperations::forced, Number>(
          "forced", "Gates that a process opened without the arbiter"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedSharing>> fields<ObservedSharing>() {
  static constexpr auto kTable = std::to_array<Field<ObservedSharing>>({
      always<&ObservedSharing::mode, Text>("mode", "What decided: arbiter, boost, lock, off"),
      where_known<&ObservedSharing::tier, Text>("tier", "How work was taken off the GPU"),
      always<&ObservedSharing::wait, Text>("wait",
                                           "What the CPU did while the GPU worked: suspend, busy"),
      always<&ObservedSharing::fill, Number>("fill", "Percent of each bound that the work took"),
      always<&ObservedSharing::gpu_item, TimeSeen>("gpu_item",
                                                   "What one block does without a break"),
      where_known<&ObservedSharing::updates, Object<ObservedUpdates>>(
          "updates", "Updates by the arbiter of which task has the GPU"),
      where_known<&ObservedSharing::operations, Object<ObservedOperations>>(
          "operations", "What the arbiter that opens gates did"),
  });
  return kTable;
}

}  // namespace tactus
