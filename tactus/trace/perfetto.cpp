#include "tactus/trace/perfetto.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tactus/base/json_writer.hpp"
#include "tactus/base/words.hpp"

namespace tactus::trace {
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
    : system_(system), registers_(system.tasks.size()), replacement_(path) {
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
  for (const Chain& chain : system.chains) {
    for (std::size_t k = 1; k < chain.tasks.size(); ++k) {
      std::vector<TaskIndex>& read = registers_[chain.tasks[k]].read;
      const TaskIndex before = chain.tasks[k - 1];
      if (std::find(read.begin(), read.end(), before) == read.end()) read.push_back(before);
      registers_[before].is_read = true;
    }
  }
  // `tactus import` knows our traces by this beginning.
  std::fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"writer\":\"tactus\"},\"traceEvents\":[",
             file_);
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
  const auto process = [&](std::size_t pid, std::string_view name, const std::string& more) {
    event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}{}}}}})", pid,
                      literal(name), more));
  };
  constexpr std::array<std::string_view, 3> kKinds = {"cpu", "copy", "gpu"};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    process(i + 1, elements[i].name,
            fmt::format(R"(,"kind":"{}","units":{},"lanes":{})", word_of(elements[i].kind, kKinds),
                        elements[i].units, elements[i].lanes));
    constexpr std::int64_t kMostNamed = 1024;
    for (std::int64_t unit = 0; unit < std::min(elements[i].units, kMostNamed); ++unit) {
      const auto place = static_cast<std::size_t>(unit + 1);
      name_row(i + 1, place, fmt::format("{} {}", elements[i].name, place), place);
    }
    next_row_.push_back(static_cast<std::size_t>(elements[i].units) + 1);
  }
  process(elements.size() + 1, "jobs", "");
  for (std::size_t i = 0; i < system_.tasks.size(); ++i) {
    name_row(elements.size() + 1, i + 1, system_.tasks[i].name, i + 1);
  }
  next_row_.push_back(system_.tasks.size() + 1);
}

void PerfettoWriter::name_row(std::size_t pid, std::size_t tid, std::string_view name,
                              std::size_t place) {
  event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    pid, tid, literal(name)));
  event(fmt::format(
      R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
      pid, tid, place));
}

std::size_t PerfettoWriter::row_for(std::size_t pid, std::size_t place, Time start, Time end) {
  Rows& rows = rows_[{pid, place}];
  if (rows.all.empty()) rows.all.push_back({place, Time()});
  if (rows.free_from <= start) {
    Time next = Time::max();
    for (Row& row : rows.all) {
      next = std::min(next, row.taken_until);
      if (row.taken_until > start) continue;
      row.taken_until = end;
      return row.tid;
    }
    rows.free_from = next;
  }
  const std::size_t tid = next_row_[pid - 1]++;
  rows.all.push_back({tid, end});
  rows.free_from = std::min(rows.free_from, end);
  const bool jobs = pid == next_row_.size();
  const std::string name =
      jobs ? system_.tasks[place - 1].name
           : fmt::format("{} {}", system_.platform.elements[pid - 1].name, place);
  name_row(pid, tid, fmt::format("{} ({})", name, rows.all.size()), place);
  return tid;
}

void PerfettoWriter::add(const Interval& interval) {
  if (file_ == nullptr) return;
  const Task& task = system_.tasks[interval.task];
  const std::size_t row =
      row_for(interval.element + 1, interval.unit + 1, interval.start, interval.end);
  event(fmt::format(
      R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"job":{},"width":{}{}}}}})",
      literal(task.name + "." + task.nodes[interval.node].name), to_string(interval.activity),
      interval.element + 1, row, us(interval.start), us(interval.end - interval.start),
      interval.job, interval.width, interval.preempted ? R"(,"preempted":true)" : ""));
  draw_arrows(interval, row);
  Register& own = registers_[interval.task];
  own.begun = own.job == interval.job ? std::min(own.begun, interval.start) : interval.start;
  own.job = interval.job;
}

/// Arrows follow the slices they join, and begin and end inside of them: else they are not shown.
void PerfettoWriter::draw_arrows(const Interval& interval, std::size_t row) {
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
          arrows_, end.element + 1, end.row, us(end.at - Time::from_ns(1))));
      event(fmt::format(
          R"({{"ph":"f","bp":"e","name":"precedes","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})",
          arrows_, interval.element + 1, row, us(interval.start)));
    }
  }
  ends[interval.node] = {interval.job, row, interval.element, interval.end};
}

void PerfettoWriter::add(const JobSpan& job) {
  const std::size_t pid = system_.platform.elements.size() + 1;
  std::string more = job.deadline ? fmt::format(R"("deadline":{})", us(*job.deadline)) : "";
  const auto add = [&](const std::string& entry) { more += (more.empty() ? "" : ",") + entry; };
  if (job.late > Time()) add(fmt::format(R"("late":{})", us(job.late)));
  if (!job.ended) add(R"("ended":false)");
  const std::size_t row = row_for(pid, job.task + 1, job.release, job.end);
  event(fmt::format(
      R"({{"ph":"X","name":"job {}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
      job.job, job.missed ? "missed" : "job", pid, row, us(job.release), us(job.response()), more));
  if (job.late > Time()) {
    event(fmt::format(R"({{"ph":"i","s":"t","name":"released","pid":{},"tid":{},"ts":{}}})", pid,
                      row, us(job.release + job.late)));
  }
  if (job.ended) draw_values(job, row);
}

/// It read what was written last when it began, and writes at its end.
void PerfettoWriter::draw_values(const JobSpan& job, std::size_t row) {
  Register& own = registers_[job.task];
  const std::size_t pid = system_.platform.elements.size() + 1;
  const Time begun = own.job == job.job ? own.begun : job.release + job.late;
  for (const TaskIndex before : own.read) {
    const auto& written = registers_[before].written;
    const auto value = std::find_if(written.rbegin(), written.rend(),
                                    [&](const Write& write) { return write.at <= begun; });
    if (value == written.rend()) continue;
    ++arrows_;
    event(fmt::format(
        R"({{"ph":"s","name":"is read","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})", arrows_,
        pid, value->row, us(value->at - Time::from_ns(1))));
    event(fmt::format(
        R"({{"ph":"f","bp":"e","name":"is read","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})",
        arrows_, pid, row, us(begun)));
  }
  constexpr std::size_t kMostKept = 4096;  // that end while one job of a reader runs
  if (!own.is_read) return;
  own.written.push_back({job.end, row});
  if (own.written.size() > kMostKept) own.written.pop_front();
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

}  // namespace tactus::trace
