#include "tactus/exchange/import.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tactus/base/contains.hpp"
#include "tactus/base/yaml.hpp"
#include "tactus/exchange/source.hpp"
#include "tactus/model/reader.hpp"

namespace tactus::exchange {
namespace {

/// The first thing that is not white space.
std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

struct Format {
  SourceFormat told;
  bool (*recognises)(std::string_view head);
  Draft (*read)(Source& source, const ImportOptions& options);
};

std::string_view first_line(std::string_view text) {
  text = trimmed(text);
  return text.substr(0, text.find('\n'));
}

/// In the order in which they are tried.
constexpr Format kFormats[] = {
    {{"nsys", "an export of Nsight Systems (SQLite)"},
     [](std::string_view head) { return head.starts_with("SQLite format 3"); },
     import_nsys},
    {{"trace", "a trace that tactus wrote (--trace of simulate and run)"},
     [](std::string_view head) {
       return head.starts_with(R"({"displayTimeUnit":"ns","otherData")");
     },
     import_own_trace},
    {{"arbiter", "the log of the arbiter (tactusd --log)"},
     [](std::string_view head) { return head.starts_with(R"({"t": )"); },
     import_arbiter_log},
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
    {{"kineto", "a trace of the PyTorch profiler (JSON, also .gz)"},
     [](std::string_view head) {
       const std::string_view text = trimmed(head);
       return text.starts_with('{') || text.starts_with('[');
     },
     import_kineto},
};

constexpr std::array<SourceFormat, std::size(kFormats)> all_told() {
  std::array<SourceFormat, std::size(kFormats)> told;
  std::size_t next = 0;
  for (const auto& format : kFormats) told[next++] = format.told;
  return told;
}
constexpr auto kTold = all_told();

NotImported failed(std::string message, Position at = {}) {
  return {{{Severity::kError, at, std::move(message)}}};
}

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

ImportResult import_source(Source& source, std::string_view name, const ImportOptions& options) {
  const Format* format = find_format(name, source.head());
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
    Draft draft = format->read(source, options);
    if (draft.problems.empty() && !options.times.empty()) add_times(options.times, options, draft);
    if (!draft.problems.empty()) return NotImported{std::move(draft.problems)};
    ReadResult checked = check_system(std::move(draft.system));
    if (!checked.system) return NotImported{std::move(checked.diagnostics)};
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
  auto bytes = bytes_of_file(path, options.most_bytes);
  if (!bytes) return failed(bytes.error().message);
  Source source(std::move(*bytes), path);
  return import_source(source, format, options);
}

ImportResult import_text(std::string_view text, std::string_view format,
                         const ImportOptions& options) {
  Source source(bytes_of_text(text), {});
  return import_source(source, format, options);
}

}  // namespace tactus::exchange
