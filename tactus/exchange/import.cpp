#include "tactus/exchange/import.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tactus/base/contains.hpp"
#include "tactus/base/yaml.hpp"
#include "tactus/exchange/ctf.hpp"
#include "tactus/exchange/join.hpp"
#include "tactus/exchange/source.hpp"
#include "tactus/model/reader.hpp"

namespace tactus::exchange {
namespace {

/// The first thing that is not white space.
std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

/// One line per format, below: what it is, how its beginning looks, and who reads it.
struct Format {
  SourceFormat told;
  bool (*recognises)(std::string_view head);
  Draft (*read)(Source& source, const ImportOptions& options);
  Recorded (*record)(Source& source, const ImportOptions& options) = nullptr;  ///< or a recording
};

bool is_json(std::string_view head) {
  const std::string_view text = trimmed(head);
  return text.starts_with('{') || text.starts_with('[');
}

bool contains_any(std::string_view head, std::initializer_list<std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return contains(head, mark); });
}

std::string_view first_line(std::string_view text) {
  text = trimmed(text);
  return text.substr(0, text.find('\n'));
}

/// "[{" and "[ ]", but not "[12:30:01": a list of JSON, not the time of a line.
bool is_json_list(std::string_view head) {
  const std::string_view text = trimmed(head);
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return text.starts_with('[') &&
         (next == std::string_view::npos || contains("{]\"", text.substr(next, 1)));
}

/// In the order in which they are tried.
constexpr Format kFormats[] = {
    {{"nsys", "an export of Nsight Systems (SQLite)"},
     [](std::string_view head) { return head.starts_with("SQLite format 3"); },
     nullptr,
     record_nsys},
    {{"trace", "a trace that tactus wrote (--trace of simulate and run)"},
     [](std::string_view head) {
       return head.starts_with(R"({"displayTimeUnit":"ns","otherData")");
     },
     import_own_trace},
    {{"arbiter", "the log of the arbiter (tactusd --log)"},
     [](std::string_view head) { return head.starts_with(R"({"t": )"); },
     import_arbiter_log},
    {{"amalthea", "a model of AMALTHEA (Eclipse APP4MC, *.amxmi)"},
     [](std::string_view head) { return contains(head, "app4mc.eclipse.org/amalthea"); },
     import_amalthea},
    {{"graphml", "task graphs in GraphML"},
     [](std::string_view head) { return contains(head, "<graphml"); },
     import_graphml},
    {{"dot", "task graphs for Graphviz, and CUDA graphs (cudaGraphDebugDotPrint)"},
     [](std::string_view head) {
       return contains(head, "graph") && contains(head, "{") && !trimmed(head).starts_with('{');
     },
     import_dot},
    {{"times", "times of kernels: CSV of nsys stats or ncu"},
     [](std::string_view head) {
       return contains(head, "Kernel Name") || contains(head, "(ns)") || contains(head, "(us)") ||
              contains(head, "(ms)");
     },
     import_times},
    {{"sag", "a job set of the schedule-abstraction graph (CSV; --edges)"},
     [](std::string_view head) {
       const std::string_view line = first_line(head);
       return contains(line, "Task ID") && contains(line, ",");
     },
     import_sag},
    {{"yaml", "a system file in YAML"},
     [](std::string_view head) { return yaml::looks_like_yaml(head); },
     import_yaml},
    {{"ros2", "a trace of ros2_tracing: the folder (CTF), or what babeltrace2 prints of it"},
     [](std::string_view head) {
       return contains(head, " ros2:") && first_line(head).starts_with('[') && !is_json_list(head);
     },
     nullptr,
     record_ros2},
    {{"tensorrt", "times of trtexec: --exportTimes, --exportProfile"},
     [](std::string_view head) {
       return is_json(head) && contains_any(head, {"\"startComputeMs\"", "\"averageMs\""});
     },
     nullptr,
     record_tensorrt},
    {{"onnx", "a profile of ONNX Runtime (JSON)"},
     [](std::string_view head) {
       return is_json(head) && contains_any(head, {"\"model_run\"", "\"model_loading_",
                                                   "\"session_initialization\"", "_kernel_time\""});
     },
     nullptr,
     record_onnx},
    {{"kineto", "a trace of the PyTorch profiler (JSON, also .gz)"},
     [](std::string_view head) {
       return is_json(head) &&
              (contains_any(head, {"\"deviceProperties\"", "\"cuda_runtime\"", "\"cpu_op\"",
                                   "\"user_annotation\"", "\"kernel\"", "ProfilerStep#"}) ||
               !contains(head, "\"ph\""));
     },
     nullptr,
     record_kineto},
    {{"chrome", "any trace in the format of chrome://tracing (--tracks, --gpu-tracks, --parts)"},
     is_json,
     nullptr,
     record_chrome},
};

constexpr std::array<SourceFormat, std::size(kFormats)> all_told() {
  std::array<SourceFormat, std::size(kFormats)> told;
  std::size_t next = 0;
  for (const auto& format : kFormats) told[next++] = format.told;
  return told;
}
constexpr auto kTold = all_told();

std::vector<Error> failed(std::string message) { return {{std::move(message)}}; }

std::string names_of_formats() {
  std::string names;
  for (const Format& format : kFormats) {
    names += names.empty() ? "" : ", ";
    names += format.told.name;
  }
  return names;
}

const Format* find_format(std::string_view name, std::string_view head) {
  for (const Format& format : kFormats) {
    if (name.empty() ? format.recognises(head) : format.told.name == name) return &format;
  }
  return nullptr;
}

/// A file, or a folder with a trace in CTF, which babeltrace2 reads.
Result<Source> open_source(const std::string& path, const ImportOptions& options) {
  auto bytes = is_ctf(path) ? bytes_of_ctf(path) : bytes_of_file(path, options.most_bytes);
  if (!bytes) return bytes.error();
  return Source(std::move(*bytes), path, options.watch);
}

std::string at(const std::string& path, const Diagnostic& problem) {
  return problem.at.line > 0 ? fmt::format("{}:{}:{}: {}", path, problem.at.line, problem.at.column,
                                           problem.message)
                             : fmt::format("{}: {}", path, problem.message);
}

/// Other recordings of the same run, put into the first; logs of the arbiter are for `costs`.
std::optional<std::string> join_all(const ImportOptions& options, Recording* recording,
                                    std::optional<ArbiterCosts>& costs) {
  for (const std::string& path : options.join) {
    auto source = open_source(path, options);
    if (!source) return fmt::format("{}: {}", path, source.error().message);
    const Format* format = find_format("", source->head());
    if (source->bytes().error())
      return fmt::format("{}: {}", path, source->bytes().error()->message);
    if (format != nullptr && format->told.name == "arbiter") {
      CostsFound found = costs_in_arbiter_log(*source);
      if (found.problem) return at(path, *found.problem);
      costs = found.costs;
      continue;
    }
    if (format == nullptr || format->record == nullptr) {
      return fmt::format("{}: this is no recording that can be joined", path);
    }
    if (recording == nullptr) {
      return fmt::format("{}: only a log of the arbiter can be joined to this format", path);
    }
    Recorded other = format->record(*source, options);
    if (other.problem) return at(path, *other.problem);
    if (const auto problem = join(*recording, other.recording)) {
      return fmt::format("{}: {}", path, problem->message);
    }
  }
  return std::nullopt;
}

Draft draft_in(const Format& format, Source& source, const ImportOptions& options) {
  Recorded recorded{Recording()};
  if (format.record != nullptr) recorded = format.record(source, options);
  if (recorded.problem) return {{}, {}, {std::move(*recorded.problem)}, {}};
  std::optional<ArbiterCosts> costs;
  Recording* const recording = format.record != nullptr ? &recorded.recording : nullptr;
  if (auto problem = join_all(options, recording, costs)) return Draft::bad(std::move(*problem));
  Draft draft = recording != nullptr ? draft_of(std::move(*recording), options)
                                     : format.read(source, options);
  if (costs && draft.problems.empty()) add_costs(*costs, options, draft);
  return draft;
}

ImportResult import_source(Source& source, std::string_view name, const ImportOptions& options) {
  const Format* format = find_format(name, source.head());
  if (name.empty() && is_json(source.head()) && contains(source.head(), "\"tactus\":"))
    return failed("this is a file of tactus already; import reads what other tools wrote");
  if (source.bytes().error()) return failed(source.bytes().error()->message);
  if (format == nullptr && !name.empty()) {
    std::vector<std::string_view> names;
    for (const Format& known : kFormats) names.push_back(known.told.name);
    return failed(fmt::format("there is no format {}{}; these can be imported: {}", quote(name),
                              suggestion(name, names), names_of_formats()));
  }
  if (format == nullptr) {
    return failed(source.head().empty()
                      ? std::string("the file is empty")
                      : fmt::format("this is nothing that can be imported; --from names one of: {}",
                                    names_of_formats()));
  }
  try {
    Draft draft = draft_in(*format, source, options);
    if (draft.problems.empty() && !options.times.empty()) add_times(options.times, options, draft);
    if (!draft.problems.empty()) return std::move(draft.problems);
    ReadResult checked = check_system(std::move(draft.system));
    if (!checked.system) return std::move(checked.diagnostics);
    Imported imported{std::string(format->told.name), std::move(*checked.system),
                      std::move(draft.notes), std::move(draft.seen)};
    for (const Diagnostic& warning : checked.diagnostics) imported.notes.push_back(warning.message);
    return imported;
  } catch (const OverflowError& overflow) {
    return failed(overflow.what());
  }
}

}  // namespace

std::span<const SourceFormat> source_formats() { return kTold; }

ImportResult import_file(const std::string& path, std::string_view format,
                         const ImportOptions& options) {
  auto source = open_source(path, options);
  if (!source) return failed(source.error().message);
  return import_source(*source, format, options);
}

ImportResult import_text(std::string_view text, std::string_view format,
                         const ImportOptions& options) {
  Source source(bytes_of_text(text), {}, options.watch);
  return import_source(source, format, options);
}

}  // namespace tactus::exchange
