#include "tactus/cli/figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <variant>

#include "tactus/base/decimal.hpp"
#include "tactus/base/diagnostic.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/report/charts/schedule_figure.hpp"

namespace tactus::cli {
namespace {

/// Digits, with a point between them where there is one.
bool is_decimal(std::string_view text) {
  const auto digits = [](std::string_view part) {
    return !part.empty() &&
           std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return digits(text);
  return digits(text.substr(0, point)) && digits(text.substr(point + 1));
}

std::optional<Time> time_in(std::string_view text, const System& system, Rounding rounding) {
  if (!is_decimal(text)) return std::nullopt;
  const auto time = parse_scaled(text, decimal_places(system.time_unit), rounding);
  if (!time) return std::nullopt;
  return Time::from_ns(time->value);
}

verbs::Answer<trace::Window> window_of(std::string_view text, const System& system) {
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const auto from = time_in(text.substr(0, dots), system, Rounding::kDown);
    const auto to = time_in(text.substr(dots + 2), system, Rounding::kUp);
    if (from && to && *from < *to) return trace::Window{*from, *to};
  }
  return verbs::NoAnswer::bad_input(fmt::format(
      "--window must be two times in the file's unit, the earlier first, as in 20..50; got {}",
      quote(text)));
}

verbs::Answer<trace::JobName> job_of(std::string_view text, const System& system) {
  const std::size_t mark = text.rfind('#');
  trace::JobName job;
  const std::string_view number = mark == std::string_view::npos ? "" : text.substr(mark + 1);
  const auto [end, problem] =
      std::from_chars(number.data(), number.data() + number.size(), job.job);
  if (number.empty() || problem != std::errc() || end != number.data() + number.size()) {
    return verbs::NoAnswer::bad_input(fmt::format(
        "--around must be a task and the number of its job, from 0 on, as in camera#3; got {}",
        quote(text)));
  }
  const std::string_view name = text.substr(0, mark);
  std::vector<std::string_view> names;
  for (const Task& task : system.tasks) {
    if (task.name == name) return job;
    names.push_back(task.name);
    ++job.task;
  }
  return verbs::NoAnswer::bad_input(
      fmt::format("--around: the system has no task {}{}", quote(name), suggestion(name, names)));
}

/// Where nothing is said: from 0 until the slowest task comes again; all, if none does.
trace::Window beginning(const System& system) {
  Time longest;
  for (const Task& task : system.tasks) longest = std::max(longest, task.period.value_or(Time()));
  return {Time(), longest == Time() ? Time::max() : longest};
}

}  // namespace

void describe(FigureOptions& options, Fields& is) {
  is("figure", options.file_, "Draw the schedule: a .svg, .pdf, .png or .tikz file").shows("FILE");
  is("window", options.window_,
     "Draw what happens between two times, in the file's unit (by default until the slowest task "
     "comes again)")
      .shows("A..B")
      .seldom();
  is("around", options.around_, "Draw what happens around one job; jobs count from 0")
      .shows("TASK#JOB")
      .excludes({"window"})
      .seldom();
}

verbs::Answer<trace::Excerpt> FigureOptions::excerpt(const System& system,
                                                     trace::TraceSink* next) const {
  if (given() && !report::format_of_file(file_)) {
    return verbs::NoAnswer::bad_input(fmt::format(
        "--figure must name a file that ends in .svg, .pdf, .png, .tikz or .tex; got {}",
        quote(file_)));
  }
  if (!around_.empty()) {
    const auto job = job_of(around_, system);
    if (!job) return job.none();
    return trace::Excerpt(*job, next);
  }
  if (window_.empty()) return trace::Excerpt(beginning(system), next);
  const auto window = window_of(window_, system);
  if (!window) return window.none();
  return trace::Excerpt(*window, next);
}

FigureOptions::Watch FigureOptions::watching(std::optional<trace::Excerpt>& kept) const {
  return [this, &kept](const System& system,
                       trace::TraceSink* next) -> verbs::Answer<trace::TraceSink*> {
    auto part = excerpt(system, next);
    if (!part) return part.none();
    kept.emplace(std::move(*part));
    return &*kept;
  };
}

std::optional<trace::Window> FigureOptions::window(const System& system,
                                                   const trace::Observed& observed,
                                                   const trace::Excerpt& excerpt) const {
  trace::Window window = beginning(system);
  if (!around_.empty()) {
    if (!excerpt.job()) {
      const auto job = job_of(around_, system);
      complain(fmt::format(
          "tactus: --around: the run has no job {} of task {}, which has had {} jobs (from 0 on)",
          job->job, quote(system.tasks[job->task].name),
          observed.tasks[job->task].responses.size()));
      return std::nullopt;
    }
    window = report::window_around(*excerpt.job(), observed);
  } else if (!window_.empty()) {
    window = *window_of(window_, system);
  }
  window.to = std::min(window.to, observed.end);
  if (window.from < window.to) return window;
  complain(fmt::format("tactus: there is nothing to draw: the run ended at {}",
                       format_time(observed.end, system.time_unit)));
  return std::nullopt;
}

bool FigureOptions::draw(const System& system, const trace::Observed& observed,
                         const trace::Excerpt& excerpt, trace::Window window) const {
  const auto drawing =
      report::schedule_drawing(system, observed, excerpt.trace(), window, excerpt.job());
  if (!drawing) {
    complain("tactus: " + drawing.error().message);
    return false;
  }
  if (const auto failed = report::write_drawing(*drawing, *report::format_of_file(file_), file_)) {
    complain("tactus: " + failed->message);
    return false;
  }
  return true;
}

}  // namespace tactus::cli
