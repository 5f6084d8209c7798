#include "tactus/report/trace_columns.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "tactus/base/json_writer.hpp"

namespace tactus::report {
namespace {

using json::Kind;
using json::Value;

std::string_view text_at(const Value& object, std::string_view key, Kind kind) {
  const Value* found = object.is(Kind::kObject) ? object.find(key) : nullptr;
  return found != nullptr && found->is(kind) ? found->text() : std::string_view();
}

/// A whole number, or `otherwise`.
std::int64_t whole(std::string_view text, std::int64_t otherwise) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

/// Texts that repeat, each once.
class Texts {
 public:
  std::int64_t place(std::string_view text) {
    const auto [found, added] = places_.try_emplace(text, static_cast<std::int64_t>(all_.size()));
    if (added) all_.push_back(text);
    return found->second;
  }
  const std::vector<std::string_view>& all() const { return all_; }

 private:
  std::map<std::string_view, std::int64_t> places_;
  std::vector<std::string_view> all_;
};

struct Row {
  std::string_view name;
  std::int64_t order = 0;
};

struct Slice {
  std::pair<std::int64_t, std::int64_t> row;
  std::int64_t name, kind, job, width;
  std::string_view start, length;  ///< as they were written
  std::string_view late;           ///< of a job: its release, after its arrival
};

struct Columns {
  std::map<std::int64_t, std::string_view> groups;
  std::map<std::pair<std::int64_t, std::int64_t>, Row> rows;
  Texts names, kinds;
  std::vector<Slice> slices;

  void take(const Value& event);
  void name_row(const Value& event, std::int64_t pid, std::int64_t tid);
  void add_slice(const Value& event, std::int64_t pid, std::int64_t tid);
};

void Columns::name_row(const Value& event, std::int64_t pid, std::int64_t tid) {
  const Value* arguments = event.find("args");
  if (arguments == nullptr) return;
  const std::string_view what = text_at(event, "name", Kind::kString);
  const std::string_view name = text_at(*arguments, "name", Kind::kString);
  if (what == "process_name") groups[pid] = name;
  if (what == "thread_name") rows[{pid, tid}].name = name;
  if (what == "thread_sort_index") {
    rows[{pid, tid}].order = whole(text_at(*arguments, "sort_index", Kind::kNumber), tid);
  }
}

void Columns::add_slice(const Value& event, std::int64_t pid, std::int64_t tid) {
  const std::string_view start = text_at(event, "ts", Kind::kNumber);
  const std::string_view length = text_at(event, "dur", Kind::kNumber);
  if (start.empty() || length.empty()) return;
  std::string_view name = text_at(event, "name", Kind::kString);
  std::int64_t job = -1, width = -1;
  std::string_view late, kind = text_at(event, "cat", Kind::kString);
  if (const Value* arguments = event.find("args")) {
    job = whole(text_at(*arguments, "job", Kind::kNumber), -1);
    width = whole(text_at(*arguments, "width", Kind::kNumber), -1);
    late = text_at(*arguments, "late", Kind::kNumber);
    const Value* ended = arguments->is(Kind::kObject) ? arguments->find("ended") : nullptr;
    if (ended != nullptr && kind == "job") kind = "unfinished";
  }
  constexpr std::string_view kJob = "job ";
  if (job < 0 && name.starts_with(kJob)) {  // its number is in the name: not a name for each
    job = whole(name.substr(kJob.size()), -1);
    if (job >= 0) name = name.substr(0, kJob.size() - 1);
  }
  slices.push_back({{pid, tid},
                    names.place(name),
                    kinds.place(kind),
                    job,
                    width,
                    start,
                    length,
                    late.empty() ? "0" : late});
}

void Columns::take(const Value& event) {
  if (!event.is(Kind::kObject)) return;
  const std::string_view phase = text_at(event, "ph", Kind::kString);
  const std::int64_t pid = whole(text_at(event, "pid", Kind::kNumber), 0);
  const std::int64_t tid = whole(text_at(event, "tid", Kind::kNumber), 0);
  if (phase == "M") name_row(event, pid, tid);
  if (phase == "X") add_slice(event, pid, tid);
}

template <typename Of>
void write_column(json::Writer& out, std::string_view name, const std::vector<Slice>& slices,
                  Of of) {
  out.key(name).begin_array();
  for (const Slice& slice : slices) of(slice);
  out.end_array();
}

void write_texts(json::Writer& out, std::string_view name, const Texts& texts) {
  out.key(name).begin_array();
  for (const std::string_view text : texts.all()) out.string(text);
  out.end_array();
}

}  // namespace

std::string trace_columns_json(const Value& trace) {
  Columns columns;
  for (const Value& event : trace.find("traceEvents")->items()) columns.take(event);

  // Rows in the order in which they are shown.
  std::vector<std::pair<std::int64_t, std::int64_t>> shown;
  for (const Slice& slice : columns.slices) shown.push_back(slice.row);
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  std::sort(shown.begin(), shown.end(), [&](const auto& a, const auto& b) {
    return std::tuple(a.first, columns.rows[a].order, a.second) <
           std::tuple(b.first, columns.rows[b].order, b.second);
  });
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> place;
  for (const auto& row : shown) place.emplace(row, static_cast<std::int64_t>(place.size()));

  json::Writer out(json::Layout::kOneLine);
  out.begin_object().key("rows").begin_array();
  for (const auto& row : shown) {
    out.begin_object().key("group").string(columns.groups[row.first]);
    out.key("name").string(columns.rows[row].name).end_object();
  }
  out.end_array();
  write_texts(out, "names", columns.names);
  write_texts(out, "kinds", columns.kinds);
  const std::vector<Slice>& slices = columns.slices;
  write_column(out, "row", slices, [&](const Slice& s) { out.integer(place[s.row]); });
  write_column(out, "name", slices, [&](const Slice& s) { out.integer(s.name); });
  write_column(out, "kind", slices, [&](const Slice& s) { out.integer(s.kind); });
  write_column(out, "start", slices, [&](const Slice& s) { out.number(s.start); });
  write_column(out, "length", slices, [&](const Slice& s) { out.number(s.length); });
  write_column(out, "late", slices, [&](const Slice& s) { out.number(s.late); });
  write_column(out, "job", slices, [&](const Slice& s) { out.integer(s.job); });
  write_column(out, "width", slices, [&](const Slice& s) { out.integer(s.width); });
  out.end_object();
  return out.take();
}

}  // namespace tactus::report
