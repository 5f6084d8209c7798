#include "tactus/trace/script_document.hpp"

#include <array>
#include <charconv>
#include <set>

#include "tactus/model/whole_document.hpp"

namespace tactus {
namespace trace {
namespace {

/// Nothing is rounded: what is replayed is what was written.
bool read_exact(const json::Value& value, std::string_view key, ReadContext& context, Time& out) {
  const auto number =
      value.is(json::Kind::kNumber)
          ? parse_scaled(value.text(), decimal_places(context.time_unit), Rounding::kDown)
          : std::nullopt;
  if (!number || !number->exact || number->value < 0) {
    return codec::mismatch(value, key, context, "a time >= 0 in whole nanoseconds");
  }
  out = Time::from_ns(number->value);
  return true;
}

struct ExactTime {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   Time& out) {
    return read_exact(value, key, context, out);
  }
  static void write(json::Writer& out, const System& system, Time time) {
    out.number(format_time(time, system.time_unit));
  }
  static void describe(json::Writer& out) {
    out.key("type").string("number").key("minimum").integer(0);
  }
};

/// { "detect": 2.5, "sum": [1, 1.5] }: an array where a node has several parts.
struct TimesByName {
  static constexpr bool kAlwaysWritten = false;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::vector<ScriptedTime>& out) {
    if (!value.is(json::Kind::kObject)) return codec::mismatch(value, key, context, "an object");
    bool good = true;
    std::set<std::string_view> names;
    for (const json::Member& member : value.members()) {
      if (!names.insert(member.key).second) {
        context.error(member, "key " + quote(member.key) + " is given twice");
        good = false;
      }
      const bool several = member.value.is(json::Kind::kArray);
      const auto items = several ? member.value.items() : std::span(&member.value, 1);
      for (std::uint32_t which = 0; which < items.size(); ++which) {
        ScriptedTime& time = out.emplace_back();
        time.name = member.key;
        time.which = which;
        time.at = context.position(items[which]);
        good &= read_exact(items[which], member.key, context, time.time);
      }
    }
    return good;
  }
  static void write(json::Writer& out, const System& system,
                    const std::vector<ScriptedTime>& times) {
    out.begin_object();
    for (std::size_t i = 0; i < times.size();) {
      out.key(times[i].name);
      std::size_t end = i + 1;
      while (end < times.size() && times[end].name == times[i].name) ++end;
      if (end == i + 1) {
        ExactTime::write(out, system, times[i].time);
      } else {
        out.begin_array();
        for (std::size_t k = i; k < end; ++k) ExactTime::write(out, system, times[k].time);
        out.end_array();
      }
      i = end;
    }
    out.end_object();
  }
  static void describe(json::Writer& out) {
    out.key("type").string("object").key("additionalProperties").begin_object();
    out.key("type").begin_array().string("number").string("array").end_array();
    out.key("minimum").integer(0).key("items").begin_object();
    ExactTime::describe(out);
    out.end_object().end_object();
  }
};

/// The command line takes the same numbers.
struct Seed {
  static constexpr bool kAlwaysWritten = true;
  static bool read(const json::Value& value, std::string_view key, ReadContext& context,
                   std::uint64_t& out) {
    const std::string_view text = value.is(json::Kind::kNumber) ? value.text() : "";
    const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (problem == std::errc() && rest == text.data() + text.size()) return true;
    return codec::mismatch(value, key, context, "a whole number from 0 to 2^64 - 1");
  }
  static void write(json::Writer& out, const System&, std::uint64_t seed) {
    out.number(std::to_string(seed));
  }
  static void describe(json::Writer& out) {
    out.key("type").string("integer").key("minimum").integer(0);
  }
};

}  // namespace
}  // namespace trace

using namespace codec;  // the tables below read like the format they describe
using namespace trace;

template <>
std::span<const Field<ScriptDocument>> fields<ScriptDocument>() {
  static constexpr auto kTable = std::to_array<Field<ScriptDocument>>({
      version_field<ScriptDocument, kScriptVersion>("tactus_script"),
      field<&ScriptDocument::system, Name>("system",
                                           "The name of the system, where it must be this one"),
      field<&ScriptDocument::fingerprint, Name>("fingerprint",
                                                "Of the system, where it must be exactly this one"),
      field<&ScriptDocument::time_unit, Word<TimeUnit>>("time_unit",
                                                        "Of every time here: that of the system"),
      field<&ScriptDocument::scenario, Text>(
          "scenario",
          "What the script leaves open, as for `--scenario`: how ties are broken, and times that "
          "are not given; default: sync,worst,fifo"),
      field<&ScriptDocument::seed, Seed>("seed", "Of the scenario; default 1"),
      field<&ScriptDocument::end, ExactTime>("end",
                                             "When the run ends; default: when all jobs have"),
      field<&ScriptDocument::tasks, Objects<ScriptedTask, "task">>(
          "tasks", "The jobs; a task that is not here has none", true),
  });
  return kTable;
}

template <>
std::span<const Field<ScriptedTask>> fields<ScriptedTask>() {
  static constexpr auto kTable = std::to_array<Field<ScriptedTask>>({
      field<&ScriptedTask::task, Name>("task", "Its name", true),
      field<&ScriptedTask::jobs, Objects<ScriptedJob, "job">>("jobs", "In the order of release",
                                                              true),
  });
  return kTable;
}

template <>
std::span<const Field<ScriptedJob>> fields<ScriptedJob>() {
  static constexpr auto kTable = std::to_array<Field<ScriptedJob>>({
      field<&ScriptedJob::release, ExactTime>("release", "When it arrives", true),
      field<&ScriptedJob::late, ExactTime>(
          "late", "How long after that it is released, within the jitter of its task"),
      field<&ScriptedJob::times, TimesByName>(
          "times",
          "How long its nodes take, by name; of nodes that run as one piece, the first; an array "
          "where a node has several blocks or segments"),
      field<&ScriptedJob::launches, TimesByName>("launches",
                                                 "How long the launch code of its nodes takes"),
      field<&ScriptedJob::operations, TimesByName>(
          "operations",
          "How long operations of the system software take during this job, by their number in the "
          "run"),
  });
  return kTable;
}

}  // namespace tactus
