// The figure of a schedule: rows and pieces that show neither more nor less than the trace.
#include "tactus/report/charts/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/methods/promise.hpp"
#include "tactus/report/charts/chart_style.hpp"
#include "tactus/report/charts/schedule_figure.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/support/read.hpp"

namespace tactus::report {
namespace {

struct Played {
  System system;
  trace::Observed observed;
  trace::Trace trace;

  trace::Window all() const { return {Time(), observed.end}; }
};

Played run_of(const std::string& example, std::string_view method_id, std::string_view scenario) {
  Played run;
  run.system = support::read_file("examples/" + example + ".system.json");
  const Method& method = *find_method(method_id);
  const Verdict verdict = analyze(method, run.system, {});
  const auto behind = simulate::find_policy(method);
  EXPECT_TRUE(behind) << method_id;
  const auto policy = behind->make(run.system, verdict);
  EXPECT_TRUE(policy) << method_id;
  simulate::Until until;
  until.jobs = 4;
  run.observed = simulate::run(
      run.system, **policy, behind->admit(*trace::parse_scenario(scenario, 3)), until, &run.trace);
  hold_to(verdict, run.observed);
  return run;
}

struct Case {
  const char *example, *method;
};
constexpr Case kCases[] = {
    {"robot", "gcaps.suspend"},      {"robot", "gcaps.busy"},      {"robot", "tsg-rr.busy"},
    {"robot", "mpcp.suspend"},       {"gang-shares", "gang.swc"},  {"gang-fig1", "gang.wc"},
    {"dag-example", "dag.balanced"}, {"pbs-figure1", "pbs.graph"}, {"rtgpu-perception", "rtgpu"},
};

bool overlap(const ScheduleBox& a, const ScheduleBox& b) {
  constexpr double kTouch = 1e-9;
  return a.start < b.end && b.start < a.end && a.low < b.high - kTouch && b.low < a.high - kTouch;
}

/// Two tasks on one core; the first is the more urgent one.
System two_tasks() {
  return support::read(R"({"tactus": 1, "name": "two", "time_unit": "ms",
    "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1}]},
    "tasks": [
      {"name": "high", "period": 20, "priority": 2, "core": 1,
       "nodes": [{"name": "a", "on": "cpu", "wcet": 2}]},
      {"name": "low", "period": 20, "priority": 1, "core": 1,
       "nodes": [{"name": "b", "on": "cpu", "wcet": 3}]}]})");
}

TEST(Schedule, ShowsAllWorkOnceInRowsWithoutOverlaps) {
  for (const auto& [example, method] : kCases) {
    const Played run = run_of(example, method, "sporadic,uniform,shuffled,preemptive");
    double shown = 0, happened = 0;
    for (const ScheduleRow& row : schedule_rows(run.system, run.trace, run.all())) {
      for (std::size_t i = 0; i < row.boxes.size(); ++i) {
        const ScheduleBox& box = row.boxes[i];
        EXPECT_GE(box.low, 0);
        EXPECT_LE(box.high, 1 + 1e-9);
        for (std::size_t j = i + 1; j < row.boxes.size(); ++j) {
          EXPECT_FALSE(overlap(box, row.boxes[j])) << method << " row " << row.name;
        }
      }
    }
    // Where all units of an element share a row, heights add up to what was in use.
    for (ElementIndex e = 0; e < run.system.platform.elements.size(); ++e) {
      const Element& element = run.system.platform.elements[e];
      for (const ScheduleRow& row : schedule_rows(run.system, run.trace, run.all())) {
        if (row.name != element.name + " (" + std::to_string(element.units) + ")") {
          continue;
        }
        for (const ScheduleBox& box : row.boxes) {
          shown += (box.high - box.low) * static_cast<double>(element.units * element.lanes) *
                   static_cast<double>((box.end - box.start).ns());
        }
        for (const trace::Interval& interval : run.trace.intervals) {
          if (interval.element != e) continue;
          happened += std::max(interval.width, 1U) *
                      static_cast<double>((interval.end - interval.start).ns());
        }
      }
    }
    EXPECT_NEAR(shown, happened, 1e-6 * happened + 1) << method;
  }
}

TEST(Schedule, CountsTheUnitsOfAMachineAndNotItsLanes) {
  System system = two_tasks();
  system.platform.elements[0].units = 4;
  system.platform.elements[0].lanes = 64;
  trace::Trace trace;
  for (std::uint32_t unit = 0; unit < 2; ++unit) {
    trace.add(trace::Interval{.unit = unit, .start = Time(), .end = Time::from_ms(1)});
  }
  const trace::Window window{Time(), Time::from_ms(1)};
  const auto rows = schedule_rows(system, trace, window, CountedIn::kUnits);
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].boxes.size(), 1U);
  EXPECT_EQ(rows[0].boxes[0].high, 0.5);
  EXPECT_EQ(schedule_rows(system, trace, window)[0].boxes[0].high, 2.0 / 256);
}

TEST(Schedule, CutsEveryJobIntoPiecesFromItsReleaseToItsEnd) {
  for (const auto& [example, method] : kCases) {
    const Played run = run_of(example, method, "burst,early,shuffled");
    for (const trace::JobSpan& job : run.trace.jobs) {
      Time at = job.release;
      for (const JobPiece& piece : job_pieces(run.system, run.trace, job, run.all())) {
        EXPECT_EQ(piece.start, at) << method;
        EXPECT_LT(piece.start, piece.end);
        at = piece.end;
      }
      EXPECT_EQ(at, job.end) << method;
    }
  }
}

TEST(Schedule, CallsAJobRunningExactlyWhileItHasACpu) {
  const Played run = run_of("robot", "gcaps.suspend", "burst,uniform");
  for (const trace::JobSpan& job : run.trace.jobs) {
    Time runs, busy;
    for (const JobPiece& piece : job_pieces(run.system, run.trace, job, run.all())) {
      if (piece.state == JobState::kRuns) runs += piece.end - piece.start;
    }
    for (const trace::Interval& interval : run.trace.intervals) {
      const bool own = interval.task == job.task && interval.job == job.job;
      const bool cpu = run.system.platform.elements[interval.element].kind == ElementKind::kCpu;
      if (own && cpu && interval.activity != trace::Activity::kUpdate) {
        busy += interval.end - interval.start;
      }
    }
    EXPECT_EQ(runs, busy) << run.system.tasks[job.task].name << " job " << job.job;
  }
}

TEST(Schedule, SaysWhetherAJobWaitsForALowerOrForAHigherPriority) {
  const System system = two_tasks();
  const auto ms = [](std::int64_t n) { return Time::from_ms(n); };
  const trace::JobSpan high{.task = 0, .release = ms(1), .begin = ms(1), .end = ms(5)};
  const trace::JobSpan low{.task = 1, .release = ms(0), .begin = ms(0), .end = ms(8)};
  trace::Trace trace;
  trace.add(trace::Interval{.task = 1, .start = ms(0), .end = ms(3)});
  trace.add(trace::Interval{.task = 0, .start = ms(3), .end = ms(5)});
  trace.add(trace::Interval{.task = 1, .start = ms(5), .end = ms(8)});
  const trace::Window window{ms(0), ms(10)};
  const auto of_high = job_pieces(system, trace, high, window);
  ASSERT_EQ(of_high.size(), 2U);
  EXPECT_EQ(of_high[0].state, JobState::kBlocked);
  EXPECT_EQ(of_high[0].end, ms(3));
  EXPECT_EQ(of_high[1].state, JobState::kRuns);
  const auto of_low = job_pieces(system, trace, low, window);
  ASSERT_EQ(of_low.size(), 3U);
  EXPECT_EQ(of_low[1].state, JobState::kWaits);
}

TEST(Schedule, LooksBehindAFreeCoreForWhatBlocksAJob) {
  // As with a lock around the GPU: the job needs the core only to start its kernel.
  System system = two_tasks();
  system.platform.elements.emplace_back().kind = ElementKind::kGpu;
  const auto ms = [](std::int64_t n) { return Time::from_ms(n); };
  const trace::JobSpan high{.task = 0, .release = ms(1), .begin = ms(1), .end = ms(8)};
  trace::Trace trace;
  trace.add(trace::Interval{.task = 1, .element = 1, .start = ms(0), .end = ms(4)});
  trace.add(trace::Interval{.task = 0, .element = 0, .start = ms(4), .end = ms(5)});
  trace.add(trace::Interval{.task = 0, .element = 1, .start = ms(5), .end = ms(8)});
  const auto pieces = job_pieces(system, trace, high, {ms(0), ms(10)});
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].state, JobState::kBlocked);
  EXPECT_EQ(pieces[1].state, JobState::kRuns);
  EXPECT_EQ(pieces[2].state, JobState::kSuspended);
}

TEST(Schedule, MarksWhatWasTakenOffBeforeItsEnd) {
  const Played run = run_of("robot", "gcaps.suspend", "burst,worst");
  std::size_t preempted = 0;
  for (const trace::Interval& interval : run.trace.intervals) {
    if (!interval.preempted) continue;
    ++preempted;
    EXPECT_TRUE(std::any_of(run.trace.intervals.begin(), run.trace.intervals.end(),
                            [&](const trace::Interval& later) {
                              return later.task == interval.task && later.job == interval.job &&
                                     later.node == interval.node && later.start >= interval.end;
                            }) ||
                interval.end == run.observed.end);
  }
  EXPECT_GT(preempted, 0U);
  for (const trace::JobSpan& job : run.trace.jobs) {
    EXPECT_EQ(job.deadline, run.observed.tasks[job.task].deadline);
  }
}

TEST(ScheduleFigure, IsTheSameTwiceInEveryFormatAndAsWideAsAColumn) {
  const Played run = run_of("robot", "gcaps.suspend", "sync,worst");
  const auto drawing = schedule_drawing(run.system, run.observed, run.trace, run.all());
  ASSERT_TRUE(drawing);
  EXPECT_EQ(drawing->width, 252);
  const auto again = schedule_drawing(run.system, run.observed, run.trace, run.all());
  EXPECT_EQ(svg_of(*drawing), svg_of(*again));
  EXPECT_EQ(tikz_of(*drawing), tikz_of(*again));
  for (const char* word : {"arrival", "deadline", "completion", "bound", "preempted"}) {
    EXPECT_NE(svg_of(*drawing).find(word), std::string::npos) << word;
  }
  // The palette is that of all figures.
  EXPECT_NE(svg_of(*drawing).find(palette().front()), std::string::npos);
}

TEST(ScheduleFigure, NeverDrawsOutsideOfItsPage) {
  for (const auto& [example, method] : kCases) {
    const Played run = run_of(example, method, "sporadic,uniform");
    const Time middle = Time::from_ns(run.observed.end.ns() / 2);
    const auto drawing = schedule_drawing(run.system, run.observed, run.trace,
                                          {Time::from_ns(middle.ns() / 2), middle});
    ASSERT_TRUE(drawing) << method;
    for (const Shape& shape : drawing->shapes) {
      const auto* const box = std::get_if<Box>(&shape);
      if (box == nullptr) continue;
      EXPECT_GE(box->x, 0);
      EXPECT_GE(box->width, 0);
      EXPECT_LE(box->x + box->width, drawing->width) << method;
      EXPECT_LE(box->y + box->height, drawing->height) << method;
    }
  }
}

TEST(ScheduleFigure, ShowsNamesAsTextWhateverTheyHold) {
  Drawing drawing{100, 20, "a\nb </title>", {}};
  drawing.shapes.emplace_back(Text{1, 1, "<script>&\\end{tikzpicture}$x_1%"});
  const std::string svg = svg_of(drawing), tikz = tikz_of(drawing);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(tikz.find("\\textless{}script\\textgreater{}\\&\\textbackslash{}end\\{tikzpicture\\}"
                      "\\$x\\_1\\%"),
            std::string::npos);
  EXPECT_EQ(tikz.substr(0, tikz.find('\n')).find("\nb"), std::string::npos);
}

TEST(ScheduleFigure, ChoosesItsFormatByTheNameOfTheFile) {
  EXPECT_EQ(format_of_file("a.svg"), DrawingFormat::kSvg);
  EXPECT_EQ(format_of_file("a.tex"), DrawingFormat::kTikz);
  EXPECT_EQ(format_of_file("a.jpeg"), std::nullopt);
  EXPECT_EQ(format_of_file(".svg"), std::nullopt);
}

TEST(ScheduleFigure, ShowsAJobWithItsDeadlineAndItsBound) {
  trace::Observed observed;
  observed.tasks.resize(1);
  observed.tasks[0].bound = Time::from_ms(30);
  const trace::JobSpan job{.release = Time::from_ms(100),
                           .begin = Time::from_ms(100),
                           .end = Time::from_ms(110),
                           .deadline = Time::from_ms(20)};
  const trace::Window window = window_around(job, observed);
  EXPECT_LT(window.from, job.release);
  EXPECT_GT(window.to, Time::from_ms(130));
  observed.tasks[0].bound = Time::from_ms(3'000);  // so far away that the job would be a line
  EXPECT_LT(window_around(job, observed).to, Time::from_ms(130));
}

}  // namespace
}  // namespace tactus::report
