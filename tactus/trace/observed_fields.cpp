#include "tactus/trace/observed_fields.hpp"

#include <algorithm>
#include <array>

#include "tactus/trace/observed_codecs.hpp"

/// The JSON of a run, object by object: what is written, and its description in the schema.
namespace tactus {

using namespace codec;  // the words of the tables below
using namespace trace;

namespace {

struct Share {
  static void write(json::Writer& out, const System&, std::string_view text) { out.number(text); }
  static void describe(json::Writer& out) {
    out.key("type").string("number");
    out.key("minimum").integer(0);
    out.key("maximum").integer(1);
  }
};

std::vector<std::pair<std::string_view, std::string>> utilisation(const System& system,
                                                                  const Observed& observed) {
  std::vector<std::pair<std::string_view, std::string>> all;
  for (ElementIndex e = 0; e < observed.busy.size(); ++e) {
    all.emplace_back(system.platform.elements[e].name,
                     format_scaled(observed.utilisation(system, e), 3));
  }
  return all;
}

/// Nothing where the file does not say when releases are.
std::optional<bool> outside_model(const Observed& observed) {
  const bool told = std::any_of(observed.tasks.begin(), observed.tasks.end(),
                                [](const ObservedTask& task) { return task.releases.has_value(); });
  return told ? std::optional(observed.outside_model()) : std::nullopt;
}

struct TookPart : Objects<ObservedTask, "task"> {
  static void write(json::Writer& out, const System& system,
                    const std::vector<ObservedTask>& tasks) {
    out.begin_array();
    for (const ObservedTask& task : tasks) {
      if (task.took_part) write_object(out, system, task);
    }
    out.end_array();
  }
};

}  // namespace

namespace codec {

template <>
std::span<const std::string_view> words_of<trace::Producer>() {
  static constexpr std::string_view kWords[] = {"simulator", "executor", "processes"};
  return kWords;
}

}  // namespace codec

template <>
std::span<const Field<Observed>> fields<Observed>() {
  static constexpr auto kTable = std::to_array<Field<Observed>>({
      version<Observed>(),
      kind<Observed, "observed">(),
      system_name<Observed>(),
      always<&Observed::producer, Word<trace::Producer>>("producer", "What made the run"),
      always<&Observed::method, Text>("method", "The method whose bounds these are"),
      always<&Observed::variant, Text>("variant", "Its variant"),
      where_known<Line>(
          "scenario", "When jobs arrived, how long they took",
          [](const Observed& o) { return o.scenario ? to_string(*o.scenario) : std::string(); }),
      where_known<Number>("seed", "The seed of everything random in it",
                          [](const Observed& o) {
                            return o.scenario ? std::optional(o.scenario->seed) : std::nullopt;
                          }),
      where_known<&Observed::machine, Object<Machine>>("machine", "Where it ran"),
      always<&Observed::end, TimeSeen>("end", "How long it ran"),
      where_known<&Observed::cut_short, Text>("cut_short", "Why it ended early, if it did"),
      where_known<outside_model, Flag>(
          "outside_model", "Releases were not as the file says: no bound covers the run"),
      always<Flag>("good", "No deadline missed, no bound exceeded, nothing failed",
                   [](const Observed& o) { return o.good(); }),
      always<&Observed::tasks, TookPart>("tasks", "The tasks that took part"),
      where_known<&Observed::chains, Objects<ObservedChain, "chain">>(
          "chains", "The chains, each value followed from read to output"),
      where_known<&Observed::nodes, Objects<ObservedNode, "node">>("nodes", "Parts of the plan"),
      where_known<&Observed::shares, Objects<ObservedShare, "share">>(
          "shares", "Units that belonged to one task each"),
      where_known<&Observed::batches, Object<ObservedBatches>>("batches", "Batches of a table"),
      where_known<&Observed::sharing, Object<trace::ObservedSharing>>(
          "sharing", "How processes shared the GPU"),
      where_known<utilisation, ByName<Share>>("utilisation", "Share of each element that was used"),
      where_known<&Observed::events, Number>("events", "Decisions of the simulator"),
      always<&Observed::notes, Lines>("notes", "What to know about the run"),
      always<&Observed::failed, Number>("failed", "How often something did not go as planned"),
      always<&Observed::failures, Lines>("failures", "The first of these"),
  });
  return kTable;
}

template <>
std::span<const Field<Machine>> fields<Machine>() {
  static constexpr auto kTable = std::to_array<Field<Machine>>({
      always<&Machine::name, Text>("name", "For people"),
      where_known<&Machine::sms, Number>("sms", "SMs of its GPU"),
      where_known<&Machine::partition_step, Number>("partition_step",
                                                    "SMs of a partition are a multiple of this"),
      always<&Machine::features, Lines>("features", "Features in use"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedTask>> fields<ObservedTask>() {
  static constexpr auto kTable = std::to_array<Field<ObservedTask>>({
      always<&ObservedTask::task, TaskName>("task", "Its name"),
      always<Number>("jobs", "Jobs that ended",
                     [](const ObservedTask& task) { return task.jobs(); }),
      always<&ObservedTask::responses, Spread>(
          "response", "Of these jobs (of very many, the last), from release to end"),
      always<&ObservedTask::longest, TimeSeen>("longest",
                                               "The longest response; jobs that had not ended "
                                               "count with the time they had taken so far"),
      always<&ObservedTask::longest_covered, TimeSeen>(
          "longest_covered",
          "What is compared with the bound: the same without the wait for the job before, and "
          "without disturbed jobs"),
      always<&ObservedTask::bound, OrNull<TimeSeen>>("bound",
                                                     "The bound of its response; null: none"),
      always<&ObservedTask::deadline, OrNull<TimeSeen>>("deadline", "null: none"),
      always<&ObservedTask::misses, Number>("misses", "Jobs that missed their deadline"),
      always<&ObservedTask::disturbed, Number>(
          "disturbed", "Jobs that the machine disturbed, which no analysis covers"),
      where_known<&ObservedTask::late, Spread>("late", "How late its releases were noticed"),
      where_known<&ObservedTask::releases, Object<ObservedReleases>>(
          "releases", "How late it was released, if the file says how late it may be"),
      where_known<&ObservedTask::process, Object<trace::ObservedProcess>>(
          "process", "Its process, if it was one"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedReleases>> fields<ObservedReleases>() {
  static constexpr auto kTable = std::to_array<Field<ObservedReleases>>({
      always<&ObservedReleases::latest, TimeSeen>(
          "latest", "The latest, after its arrival or after the end of the job that started it"),
      always<&ObservedReleases::late, Number>(
          "late", "Later than its `jitter`: outside of the model, no bound covers them"),
      always<&ObservedReleases::early, Number>(
          "early", "Before the nominal arrival: a `bcet` before it is too long; outside, too"),
      always<&ObservedReleases::lost, Number>("lost",
                                              "Messages of its predecessor that it never took"),
      always<&ObservedReleases::doubled, Number>("doubled",
                                                 "Messages about a job that had been told before"),
  });
  return kTable;
}

template <>
std::span<const Field<ObservedChain>> fields<ObservedChain>() {
  static constexpr auto kTable = std::to_array<Field<ObservedChain>>({
      always<Line>("chain", "Its name",
                   [](const System& system, const ObservedChain& found) {
                     return std::string_view(system.chains[found.chain].name);
                   }),
      always<&ObservedChain::outputs, Number>("outputs",
                                              "Outputs of its last task that are based on a read"),
      always<&ObservedChain::reaction, TimeSeen>(
          "reaction", "The longest from a change outside to the first output based on it"),
      always<&ObservedChain::age, TimeSeen>(
          "age", "The greatest age of what an output in use is based on"),
      always<&ObservedChain::disturbed, Number>(
          "disturbed",
          "Jobs of its tasks that the machine disturbed; with any, its times are not "
          "compared with the bound"),
      always<&ObservedChain::bound, OrNull<TimeSeen>>(
          "bound", "Of both; null: none, or the run does not keep what it assumes of arrivals"),
  });
  return kTable;
}

template <>
std::span<const Field<Statistics>> fields<Statistics>() {
  static constexpr auto kTable = std::to_array<Field<Statistics>>({
      always<&Statistics::count, Number>("count", "How many"),
      always<&Statistics::min, TimeSeen>("min", "The shortest"),
      always<&Statistics::mean, TimeSeen>("mean", "Their mean"),
      always<&Statistics::deviation, TimeSeen>("deviation", "Standard deviation of the sample"),
      always<&Statistics::p50, TimeSeen>("p50", "The median, by nearest rank"),
      always<&Statistics::p99, TimeSeen>("p99", "99 of 100 are not longer, by nearest rank"),
      always<&Statistics::max, TimeSeen>("max", "The longest"),
  });
  return kTable;
}

}  // namespace tactus
