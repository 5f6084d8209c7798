#include "tactus/report/charts/schedule_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tactus/report/charts/chart_style.hpp"
#include "tactus/report/charts/schedule.hpp"
#include "tactus/report/text/terminal.hpp"
#include "tactus/report/text/time_units.hpp"

namespace tactus::report {
namespace {

/// In points. 252 points are the column of a page with two columns.
constexpr double kWidth = 252, kRight = 8, kTop = 6, kFont = 7, kSmall = 6;
constexpr double kTaskRow = 29, kTaskBar = 8, kArrow = 15, kHead = 2.2;
constexpr double kBar = 11, kBarGap = 4, kBand = 36;
constexpr double kMostLabel = 62, kLetter = 0.53;  ///< of the size of the font
constexpr std::string_view kBlack = "#000000", kGrey = "#808080", kLight = "#D9D9D9",
                           kWhite = "#FFFFFF", kDark = "#404040";
constexpr std::size_t kMostBoxes = 20'000;

double text_width(std::string_view text, double size) {
  return kLetter * size * static_cast<double>(display_width(text));
}

/// Cut to a width, which an ellipsis shows.
std::string fitted(std::string text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  while (!text.empty() && text_width(text, size) > width - kLetter * size) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
      text.pop_back();
    }
    if (!text.empty()) text.pop_back();
  }
  return text + "…";
}

/// Black or white, whichever is easier to read on a colour.
std::string_view ink_on(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    return static_cast<double>(std::stoi(std::string(colour.substr(at, 2)), nullptr, 16));
  };
  return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) > 120 ? kBlack : kWhite;
}

std::string_view colour_of(TaskIndex task) { return palette()[task % palette().size()]; }

/// Times in a figure: four digits say enough.
std::string short_time(Time time, TimeUnit unit) {
  return fmt::format("{:.4g}",
                     static_cast<double>(time.ns()) / static_cast<double>(nanoseconds_in(unit)));
}

/// 1, 2 or 5 times a power of ten, so that there are about six in a length.
std::int64_t tick_step(Time length) {
  const double rough = static_cast<double>(length.ns()) / 6;
  const double power = std::pow(10.0, std::floor(std::log10(std::max(rough, 1.0))));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * power >= rough) return static_cast<std::int64_t>(factor * power);
  }
  return static_cast<std::int64_t>(10 * power);
}

constexpr std::size_t kStates = 6;
/// In the order of `JobState`.
constexpr std::array<std::string_view, kStates> kStateNames = {"runs",
                                                               "update or switch",
                                                               "spins",
                                                               "suspended: GPU or copy runs",
                                                               "waits for a lower priority",
                                                               "waits"};

class Figure {
 public:
  Figure(const System& system, const trace::Observed& observed, const trace::Trace& trace,
         trace::Window window, const std::optional<trace::JobSpan>& job)
      : system_(system), observed_(observed), trace_(trace), window_(window), job_(job) {}

  Result<Drawing> draw() {
    const std::vector<ScheduleRow> rows = schedule_rows(
        system_, trace_, window_,
        observed_.producer == trace::Producer::kSimulator ? CountedIn::kLanes : CountedIn::kUnits);
    std::size_t boxes = 0;
    for (const ScheduleRow& row : rows) boxes += row.boxes.size();
    if (boxes > kMostBoxes) {
      return Error{fmt::format("the figure would have {} boxes; choose a shorter --window", boxes)};
    }
    sort_jobs();
    place_labels(rows);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!jobs_[task].empty()) task_row(task);
    }
    y_ += 3;
    for (const ScheduleRow& row : rows) resource_row(row);
    axis();
    legend();
    Drawing drawing;
    drawing.width = kWidth;
    drawing.height = std::ceil(y_ + 2);
    drawing.title =
        fmt::format("Schedule of {} under {} from {} to {} {}", system_.name, observed_.method,
                    format_time(window_.from, system_.time_unit),
                    format_time(window_.to, system_.time_unit), name_of(system_.time_unit));
    drawing.shapes = std::move(shapes_);
    return drawing;
  }

 private:
  double x_of(Time time) const {
    const double share = static_cast<double>((time - window_.from).ns()) /
                         static_cast<double>((window_.to - window_.from).ns());
    return left_ + share * (kWidth - kRight - left_);
  }
  bool shown(Time time) const { return time >= window_.from && time <= window_.to; }

  void sort_jobs() {
    jobs_.resize(system_.tasks.size());
    for (const trace::JobSpan& job : trace_.jobs) {
      const Time last = trace::later_by(job.release, trace::reach_of(job));
      if (job.release <= window_.to && last >= window_.from) jobs_[job.task].push_back(&job);
    }
    for (auto& jobs : jobs_) {
      std::sort(jobs.begin(), jobs.end(),
                [](const auto* a, const auto* b) { return a->release < b->release; });
    }
  }

  std::string label_of(TaskIndex task) const {
    return fmt::format("{} {}", task + 1, system_.tasks[task].name);
  }

  void place_labels(const std::vector<ScheduleRow>& rows) {
    double widest = 0;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!jobs_[task].empty()) widest = std::max(widest, text_width(label_of(task), kFont));
    }
    for (const ScheduleRow& row : rows) widest = std::max(widest, text_width(row.name, kFont));
    left_ = std::min(widest, kMostLabel) + 8;
  }

  void row_label(const std::string& text, double y) {
    shapes_.push_back(
        Text{left_ - 4, y, fitted(text, kMostLabel, kFont), Anchor::kEnd, kFont, kBlack});
  }
  void line(double x1, double y1, double x2, double y2, double width = 0.5,
            std::string_view colour = kBlack) {
    shapes_.push_back(Line{x1, y1, x2, y2, width, false, colour});
  }
  /// The line on which a row stands. A box, since gnuplot draws every line above all marks.
  void ground(double y) {
    shapes_.push_back(Box{left_, y - 0.25, kWidth - kRight - left_, 0.5, kGrey, {}});
  }
  void up_arrow(double x, double base) {
    line(x, base, x, base - kArrow, 0.8);
    shapes_.push_back(Polygon{
        {{x, base - kArrow - 1}, {x - kHead, base - kArrow + 4}, {x + kHead, base - kArrow + 4}},
        kBlack});
  }
  void down_arrow(double x, double base) {
    line(x, base - kArrow, x, base - 4, 0.8);
    shapes_.push_back(Polygon{{{x, base}, {x - kHead, base - 5}, {x + kHead, base - 5}}, kBlack});
  }
  void completion(double x, double base) {
    line(x - 2, base - kTaskBar - 3, x + 2, base - kTaskBar - 3, 1.2);
    line(x, base, x, base - kTaskBar - 3, 1.2);
  }
  void bound_mark(double x, double base) {
    shapes_.push_back(Polygon{
        {{x, base - 2.6}, {x + 2.6, base}, {x, base + 2.6}, {x - 2.6, base}}, kWhite, kBlack});
  }

  /// Lines at 45 degrees within a box.
  void hatch(double x, double y, double width, double height, double step, bool rising,
             std::string_view colour) {
    for (double at = step / 2; at < width + height; at += step) {
      const double x1 = std::min(at, width), y1 = at - x1;
      const double y2 = std::min(at, height), x2 = at - y2;
      if (rising) {
        line(x + x1, y + y1, x + x2, y + y2, 0.4, colour);
      } else {
        line(x + width - x1, y + y1, x + width - x2, y + y2, 0.4, colour);
      }
    }
  }

  void state_box(JobState state, TaskIndex task, double x, double y, double width, double height) {
    used_[static_cast<std::size_t>(state)] = true;
    const std::string_view colour = colour_of(task);
    switch (state) {
      case JobState::kRuns:
        shapes_.push_back(Box{x, y, width, height, colour, kBlack});
        break;
      case JobState::kUpdates:
        shapes_.push_back(Box{x, y, width, height, kBlack, kBlack});
        break;
      case JobState::kSpins:
        shapes_.push_back(Box{x, y, width, height, kWhite, kBlack});
        for (double at = 1.5; at < width; at += 1.5) line(x + at, y, x + at, y + height, 0.4);
        break;
      case JobState::kSuspended:
        shapes_.push_back(Box{x, y, width, height, kLight, kGrey});
        hatch(x, y, width, height, 4, true, kDark);
        break;
      case JobState::kBlocked:
        shapes_.push_back(Box{x, y, width, height, kWhite, kBlack});
        hatch(x, y, width, height, 2.5, true, kBlack);
        hatch(x, y, width, height, 2.5, false, kBlack);
        break;
      case JobState::kWaits:
        shapes_.push_back(Box{x, y, width, height, kWhite, kGrey});
        break;
    }
  }

  void task_row(TaskIndex task) {
    const double base = y_ + kTaskRow - 10;
    row_label(label_of(task), base - 1);
    ground(base);
    const trace::JobSpan* longest = nullptr;
    for (const trace::JobSpan* job : jobs_[task]) {
      for (const JobPiece& piece : job_pieces(system_, trace_, *job, window_)) {
        const double x = x_of(piece.start);
        state_box(piece.state, task, x, base - kTaskBar, x_of(piece.end) - x, kTaskBar);
      }
      const bool whole = job->ended && shown(job->release) && shown(job->end);
      if (whole && (longest == nullptr || job->response() > longest->response())) longest = job;
    }
    for (const trace::JobSpan* job : jobs_[task]) marks(task, *job, base);
    if (job_) longest = job_->task == task ? &*job_ : nullptr;
    if (longest != nullptr && longest->ended) response(*longest, base);
    y_ += kTaskRow;
  }

  void marks(TaskIndex task, const trace::JobSpan& job, double base) {
    if (shown(job.release)) up_arrow(x_of(job.release), base);
    if (job.deadline) {
      const Time deadline = trace::later_by(job.release, *job.deadline);
      if (shown(deadline)) down_arrow(x_of(deadline), base);
    }
    if (job.ended && shown(job.end)) completion(x_of(job.end), base);
    const auto& bound = observed_.tasks[task].bound;
    if (!bound) return;
    const Time at = trace::later_by(job.begin, *bound);
    if (!shown(at)) return;
    bound_mark(x_of(at), base);
    bounds_ = true;
  }

  /// From release to end, with its length; it lies below the row.
  void response(const trace::JobSpan& job, double base) {
    const double x1 = x_of(std::max(job.release, window_.from));
    const double x2 = x_of(std::min(job.end, window_.to)), y = base + 5.5;
    line(x1, y - 1.5, x1, y + 1.5);
    line(x2, y - 1.5, x2, y + 1.5);
    std::string text = short_time(job.response(), system_.time_unit);
    const auto& bound = observed_.tasks[job.task].bound;
    if (job_ && bound) {
      text += fmt::format(" (bound {})", short_time(*bound, system_.time_unit));
    }
    const double width = text_width(text, kSmall);
    if (x2 - x1 > width + 8) {
      const double gap = width / 2 + 1.5, middle = (x1 + x2) / 2;
      line(x1, y, middle - gap, y);
      line(middle + gap, y, x2, y);
      shapes_.push_back(Text{middle, y + 2, std::move(text), Anchor::kMiddle, kSmall, kBlack});
      return;
    }
    line(x1, y, x2, y);
    const bool right = x2 + width + 2 < kWidth;
    shapes_.push_back(Text{right ? x2 + 2 : x1 - 2, y + 2, std::move(text),
                           right ? Anchor::kStart : Anchor::kEnd, kSmall, kBlack});
  }

  void resource_row(const ScheduleRow& row) {
    const bool band = std::any_of(row.boxes.begin(), row.boxes.end(),
                                  [](const ScheduleBox& box) { return box.high - box.low < 1; });
    const double height = band ? kBand : kBar;
    row_label(row.name, y_ + height / 2 + 2.5);
    ground(y_ + height);
    for (const ScheduleBox& box : row.boxes) {
      const double x = x_of(box.start), width = x_of(box.end) - x;
      const double low = y_ + height - box.high * height;
      resource_box(box, x, low, width, (box.high - box.low) * height);
    }
    y_ += height + kBarGap;
  }

  void resource_box(const ScheduleBox& box, double x, double y, double width, double height) {
    switch (box.activity) {
      case trace::Activity::kUpdate:
      case trace::Activity::kSwitch:
        return state_box(JobState::kUpdates, box.task, x, y, width, height);
      case trace::Activity::kSpin:
        state_box(JobState::kSpins, box.task, x, y, width, height);
        break;
      default:
        shapes_.push_back(Box{x, y, width, height, colour_of(box.task), kBlack});
    }
    const std::string number = std::to_string(box.task + 1);
    const std::string& name = system_.tasks[box.task].name;
    const bool named = text_width(name, kSmall) + 3 <= width;
    const bool spins = box.activity == trace::Activity::kSpin;
    if (height >= kSmall && (named || text_width(number, kSmall) + 1 <= width)) {
      const std::string& text = named ? name : number;
      const double middle = x + width / 2, wide = text_width(text, kSmall);
      if (spins) {
        shapes_.push_back(
            Box{middle - wide / 2 - 0.5, y + height / 2 - 3, wide + 1, 6, kWhite, {}});
      }
      shapes_.push_back(Text{middle, y + height / 2 + 2.2, text, Anchor::kMiddle, kSmall,
                             spins ? kBlack : ink_on(colour_of(box.task))});
    }
    if (box.preempted) {
      preempted_ = true;
      preemption(x + width, y);
    }
  }
  void preemption(double x, double y) {
    shapes_.push_back(Polygon{{{x - 3, y - 2}, {x + 1, y - 2}, {x - 1, y + 2.5}}, kBlack, kWhite});
  }

  void axis() {
    const double y = y_ + 1;
    line(left_, y, kWidth - kRight, y, 0.6);
    const std::int64_t step = tick_step(window_.to - window_.from);
    std::int64_t at = (window_.from.ns() + step - 1) / step * step;
    for (; at <= window_.to.ns(); at += step) {
      const double x = x_of(Time::from_ns(at));
      line(x, y, x, y + 2.5, 0.6);
      shapes_.push_back(Text{x, y + 9.5, format_time(Time::from_ns(at), system_.time_unit),
                             Anchor::kMiddle, kSmall, kBlack});
      if (at > window_.to.ns() - step) break;
    }
    row_label(fmt::format("time ({})", name_of(system_.time_unit)), y + 9.5);
    y_ = y + 16;
  }

  void legend() {
    double x = 6;
    const auto entry = [&](std::string_view text, auto sample) {
      const double width = 12 + text_width(text, kSmall) + 7;
      if (x > 6 && x + width > kWidth) {
        x = 6;
        y_ += 15;
      }
      sample(x + 4, y_ + 11);
      shapes_.push_back(Text{x + 12, y_ + 9, std::string(text), Anchor::kStart, kSmall, kBlack});
      x += width;
    };
    const auto raised = [](double base) { return base + 1.5; };
    entry("arrival", [&](double at, double base) { up_arrow(at, raised(base)); });
    entry("deadline", [&](double at, double base) { down_arrow(at, raised(base)); });
    entry("completion", [&](double at, double base) { completion(at, base); });
    if (bounds_) entry("bound", [&](double at, double base) { bound_mark(at, base - 4); });
    if (preempted_) {
      entry("preempted", [&](double at, double base) { preemption(at + 1, base - 4); });
    }
    for (std::size_t s = 0; s < kStates; ++s) {
      if (!used_[s]) continue;
      entry(kStateNames[s], [&](double at, double base) {
        state_box(static_cast<JobState>(s), 0, at - 4.5, base - 8, 10, kTaskBar - 1);
      });
    }
    y_ += 15;
  }

  const System& system_;
  const trace::Observed& observed_;
  const trace::Trace& trace_;
  trace::Window window_;
  const std::optional<trace::JobSpan>& job_;
  std::vector<std::vector<const trace::JobSpan*>> jobs_;  ///< by task, those that are shown
  double left_ = 0, y_ = kTop;
  bool bounds_ = false, preempted_ = false;
  std::array<bool, kStates> used_{};
  std::vector<Shape> shapes_;
};

}  // namespace

Result<Drawing> schedule_drawing(const System& system, const trace::Observed& observed,
                                 const trace::Trace& trace, trace::Window window,
                                 const std::optional<trace::JobSpan>& job) {
  return Figure(system, observed, trace, window, job).draw();
}

trace::Window window_around(const trace::JobSpan& job, const trace::Observed& observed) {
  Time reach = trace::reach_of(job);
  if (const auto& bound = observed.tasks[job.task].bound) {
    const Time to_bound = trace::later_by(job.begin - job.release, *bound);
    if (to_bound <= trace::later_by(reach, reach)) reach = std::max(reach, to_bound);
  }
  reach = std::max(reach, Time::from_ns(1));
  const Time margin = Time::from_ns(reach.ns() / 16);
  return {job.release - std::min(job.release, margin),
          trace::later_by(trace::later_by(job.release, reach), std::max(margin, Time::from_ns(1)))};
}

}  // namespace tactus::report
