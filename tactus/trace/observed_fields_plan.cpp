#include <array>

#include "tactus/trace/observed_codecs.hpp"
#include "tactus/trace/observed_fields.hpp"

/// The parts of a plan in the JSON of a run.
namespace tactus {

using namespace codec;  // the words of the tables below
using namespace trace;

namespace codec {

template <>
std::span<const std::string_view> words_of<LateJob::Cause>() {
  static constexpr std::string_view kWords[] = {"host", "batches"};
  return kWords;
}

}  // namespace codec

template <>
std::span<const Field<ObservedNode>> fields<ObservedNode>() {
  static constexpr auto kTable = std::to_array<Field<ObservedNode>>({
      always<&ObservedNode::task, TaskName>("task", "Its task"),
      always<&ObservedNode::label, Text>("node", "Its name, or that of a segment of it"),
      always<&ObservedNode::element, ElementName>("on", "The element it runs on"),
      always<&ObservedNode::runs, Number>("runs", "How often it ran"),
      always<TimeSeen>("mean", "Of the time it took",
                       [](const ObservedNode& node) { return node.mean(); }),
      always<&ObservedNode::longest, TimeSeen>("max", "The longest time it took"),
      always<&ObservedNode::bound, OrNull<TimeSeen>>("bound", "The bound of that time; null: none"),
      always<&ObservedNode::over, Number>("over", "Runs that took longer"),
      always<&ObservedNode::asked, Number>("asked", "Units it should run on; 0: not stated"),
      always<&ObservedNode::narrowest, Number>("narrowest", "The fewest units it ran on"),
      always<&ObservedNode::widest, Number>("widest", "The most units it ran on"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedShare>> fields<ObservedShare>() {
  static constexpr auto kTable = std::to_array<Field<ObservedShare>>({
      always<&ObservedShare::task, TaskName>("task", "Whose"),
      always<&ObservedShare::element, ElementName>("on", "The element"),
      always<&ObservedShare::asked, Number>("asked", "Units asked for"),
      always<&ObservedShare::got, Number>("got", "Units that the machine gave"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedBatches>> fields<ObservedBatches>() {
  static constexpr auto kTable = std::to_array<Field<ObservedBatches>>({
      always<&ObservedBatches::played, Number>("played", "How many"),
      always<&ObservedBatches::late, Spread>("late",
                                             "How long after they could have been submitted"),
      always<&ObservedBatches::overrun, Number>("overrun", "Took longer than the table says"),
      always<&ObservedBatches::overruns, Objects<Overrun, "overrun">>("overruns", "The first"),
      always<&ObservedBatches::by_host, Object<ObservedBatches::Blamed>>(
          "late_by_host", "Jobs that were late because the host was late"),
      always<&ObservedBatches::by_batches, Object<ObservedBatches::Blamed>>(
          "late_by_batches", "Jobs that were late because batches took longer"),
      always<&ObservedBatches::late_jobs, Objects<LateJob, "job">>(
          "late_jobs", "The first that missed, and the first of the others"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedBatches::Blamed>> fields<ObservedBatches::Blamed>() {
  using Blamed = ObservedBatches::Blamed;
  static constexpr auto kTable = std::to_array<Field<Blamed>>({
      always<&Blamed::missed, Number>("missed", "Jobs that missed their deadline"),
      always<&Blamed::over_bound, Number>("over_bound", "Others that exceeded their bound"),
  });
  return kTable;
}

template <>
std::span<const Field<Overrun>> fields<Overrun>() {
  static constexpr auto kTable = std::to_array<Field<Overrun>>({
      always<&Overrun::frame, Number>("frame", "Its place in the table"),
      always<&Overrun::at, TimeSeen>("at", "When it was submitted"),
      always<&Overrun::expected, TimeSeen>("expected", "How long it should have taken"),
      always<&Overrun::took, TimeSeen>("took", "How long it took"),
      always<&Overrun::stalled, TimeSeen>("stalled",
                                          "The part of it in which the host was delayed"),
  });
  return kTable;
}

template <>
std::span<const Field<LateJob>> fields<LateJob>() {
  static constexpr auto kTable = std::to_array<Field<LateJob>>({
      always<&LateJob::task, TaskName>("task", "Whose"),
      always<&LateJob::job, Number>("job", "Its number, from 0"),
      always<&LateJob::release, TimeSeen>("release", "When it was released"),
      always<&LateJob::response, TimeSeen>("response", "From release to end"),
      always<&LateJob::on_time, TimeSeen>("on_time", "The same, if the host had never been late"),
      always<&LateJob::missed, Flag>("missed", "Its deadline; else only the bound was exceeded"),
      always<&LateJob::cause, Word<LateJob::Cause>>("cause", "What made it late"),
  });
  return kTable;
}

}  // namespace tactus
