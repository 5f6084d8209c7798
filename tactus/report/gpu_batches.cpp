#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/json_writer.hpp"
#include "tactus/methods/pbs/kernel_time.hpp"
#include "tactus/report/changes.hpp"
#include "tactus/report/gpu.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {
namespace {

using runtime::MeasuredBatches;
using runtime::MeasuredOrder;

std::string names(const System& system, const std::vector<TaskIndex>& order) {
  std::string text;
  for (const TaskIndex task : order) {
    if (!text.empty()) text += ", ";
    text += system.tasks[task].name;
  }
  return text;
}

Time wcet_of(const System& system, TaskIndex task) {
  const auto time = pbs::kernel_time(system, system.tasks[task]);
  return time ? time->wcet : Time();
}

/// What the members would take one after another.
Time in_turn(const System& system, const std::vector<TaskIndex>& order) {
  Time sum;
  for (const TaskIndex task : order) sum += wcet_of(system, task);
  return sum;
}

void write(json::Writer& w, const System& system, const MeasuredOrder& measured) {
  const auto time = [&](Time value) { return format_time(value, system.time_unit); };
  w.begin_object();
  w.key("order").begin_array();
  for (const TaskIndex task : measured.order) w.string(system.tasks[task].name);
  w.end_array();
  w.key("count").integer(std::ssize(measured.samples));
  w.key("min").number(time(measured.samples.front()));
  w.key("p50").number(time(measured.samples[measured.samples.size() / 2]));
  w.key("max").number(time(measured.samples.back()));
  w.key("completion").number(time(measured.completion));
  w.end_object();
}

}  // namespace

std::string batches_text(const MeasuredBatches& measured, const Style& style) {
  const System& system = measured.system;
  const auto time = [&](Time value) { return format_time(value, system.time_unit); };
  Table table({{"submitted in this order"},
               {"min", Align::kRight},
               {"p50", Align::kRight},
               {"max", Align::kRight},
               {"completion", Align::kRight},
               {"in turn", Align::kRight}});
  std::size_t late = 0;
  for (const auto* list : {&measured.singles, &measured.orders}) {
    for (const MeasuredOrder& one : *list) {
      const bool alone = one.order.size() == 1;
      const bool over = alone && one.samples.back() > wcet_of(system, one.order.front());
      late += over ? 1 : 0;
      table.add({names(system, one.order), time(one.samples.front()),
                 time(one.samples[one.samples.size() / 2]),
                 Cell(time(one.samples.back()), over ? Ink::kRed : Ink::kPlain),
                 alone ? "" : time(one.completion), time(in_turn(system, one.order))});
    }
  }
  std::string text = table.render(style);
  text += fmt::format("{} orders of {} sets measured, {} times each\n", measured.orders.size(),
                      std::count_if(system.batches.begin(), system.batches.end(),
                                    [](const Batch& batch) { return !batch.ordered; }),
                      measured.singles.empty() ? 0 : measured.singles.front().samples.size());
  if (late > 0) {
    text += fmt::format("{} of the kernels took longer than their wcet even alone\n", late);
  }
  for (const std::string& note : measured.notes) text += fmt::format("Note: {}\n", note);
  return text;
}

std::string batches_json(const MeasuredBatches& measured, std::span<const decide::Change> changes) {
  json::Writer w;
  begin_document(w, "measured-batches", measured.system, changes);
  for (const auto& [key, list] :
       {std::pair("singles", &measured.singles), std::pair("orders", &measured.orders)}) {
    w.key(key).begin_array();
    for (const MeasuredOrder& one : *list) write(w, measured.system, one);
    w.end_array();
  }
  if (!measured.notes.empty()) {
    w.key("notes").begin_array();
    for (const std::string& note : measured.notes) w.string(note);
    w.end_array();
  }
  w.end_object();
  return w.take();
}

}  // namespace tactus::report
