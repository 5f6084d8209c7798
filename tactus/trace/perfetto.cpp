#include "tactus/trace/perfetto.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "tactus/model/json_writer.hpp"

namespace tactus {
namespace {

/// Microseconds, which the format counts in, with all digits.
std::string us(Time time) { return format_scaled(time.ns(), 3); }

/// Text as a JSON string.
std::string literal(std::string_view text) {
  json::Writer out(json::Layout::kOneLine);
  out.string(text);
  std::string quoted = out.take();
  quoted.pop_back();  // the newline
  return quoted;
}

}  // namespace

PerfettoWriter::PerfettoWriter(const System& system, const std::string& path)
    : system_(system), replacement_(path) {
  if (replacement_.error()) return;
  // A descriptor of its own, since closing the stream closes it.
  const int descriptor = ::dup(replacement_.descriptor());
  if (descriptor >= 0) file_ = ::fdopen(descriptor, "w");
  if (file_ == nullptr) {
    replacement_.fail();
    return;
  }
  for (const Task& task : system.tasks) {
    ends_.emplace_back(task.nodes.size());
    begun_.emplace_back(task.nodes.size(), static_cast<std::uint32_t>(-1));
  }
  std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file_);
  name_rows();
}

PerfettoWriter::~PerfettoWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void PerfettoWriter::event(const std::string& text) {
  if (file_ == nullptr) return;
  std::fputs(first_ ? "\n" : ",\n", file_);
  std::fputs(text.c_str(), file_);
  first_ = false;
}

void PerfettoWriter::name_rows() {
  const auto& elements = system_.platform.elements;
  const auto process = [&](std::size_t pid, std::string_view name) {
    event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", pid,
                      literal(name)));
  };
  const auto thread = [&](std::size_t pid, std::size_t tid, std::string_view name) {
    event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                      pid, tid, literal(name)));
  };
  for (std::size_t i = 0; i < elements.size(); ++i) {
    process(i + 1, elements[i].name);
    constexpr std::int64_t kMostNamed = 1024;
    for (std::int64_t unit = 0; unit < std::min(elements[i].units, kMostNamed); ++unit) {
      thread(i + 1, static_cast<std::size_t>(unit + 1),
             fmt::format("{} {}", elements[i].name, unit + 1));
    }
  }
  process(elements.size() + 1, "jobs");
  for (std::size_t i = 0; i < system_.tasks.size(); ++i) {
    thread(elements.size() + 1, i + 1, system_.tasks[i].name);
  }
}

void PerfettoWriter::add(const Interval& interval) {
  if (file_ == nullptr) return;
  const Task& task = system_.tasks[interval.task];
  draw_arrows(interval);
  event(fmt::format(
      R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"job":{},"width":{}}}}})",
      literal(task.name + "." + task.nodes[interval.node].name), to_string(interval.activity),
      interval.element + 1, interval.unit + 1, us(interval.start),
      us(interval.end - interval.start), interval.job, interval.width));
}

void PerfettoWriter::draw_arrows(const Interval& interval) {
  if (interval.activity != Activity::kRun) return;
  std::vector<End>& ends = ends_[interval.task];
  std::uint32_t& begun = begun_[interval.task][interval.node];
  if (begun != interval.job) {
    begun = interval.job;
    for (NodeIndex before : system_.tasks[interval.task].graph.predecessors(interval.node)) {
      const End& end = ends[before];
      if (end.job != interval.job) continue;
      ++arrows_;
      event(fmt::format(
          R"({{"ph":"s","name":"precedes","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})",
          arrows_, end.element + 1, end.unit + 1, us(end.at)));
      event(fmt::format(
          R"({{"ph":"f","bp":"e","name":"precedes","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})",
          arrows_, interval.element + 1, interval.unit + 1, us(interval.start)));
    }
  }
  ends[interval.node] = {interval.job, interval.unit, interval.element, interval.end};
}

void PerfettoWriter::add(const JobSpan& job) {
  event(fmt::format(R"({{"ph":"X","name":"job {}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{}}})",
                    job.job, job.missed ? "missed" : "job", system_.platform.elements.size() + 1,
                    job.task + 1, us(job.release), us(job.response())));
}

void PerfettoWriter::add(const Usage& usage) {
  const Element& element = system_.platform.elements[usage.element];
  event(fmt::format(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"in use":{}}}}})",
                    literal(element.name + " in use"), usage.element + 1, us(usage.at),
                    usage.units));
}

std::optional<Error> PerfettoWriter::close() {
  if (file_ != nullptr) {
    std::fputs("\n]}\n", file_);
    const bool flushed = std::fflush(file_) == 0 && std::ferror(file_) == 0;
    if (!flushed) replacement_.fail();
    if (std::fclose(std::exchange(file_, nullptr)) != 0) replacement_.fail();
  }
  return replacement_.commit();
}

}  // namespace tactus
