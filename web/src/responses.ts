/** Response times of the jobs in a trace: how they are distributed, against bound and deadline. */
import { lineChart } from "./chart";
import { colour } from "./colours";
import { chooser, el, svg, visible, type Child } from "./dom";
import { number, plural, ticks, time, used } from "./format";
import type { GanttModel } from "./gantt/model";
import { tip } from "./tooltip";

export interface Responses {
  task: string;
  times: number[];
  bound: number;
  deadline: number;
  misses: number;
}

/** Per task, sorted. Rows such as "camera (2)" belong to their task: slices carry its name. */
export function responsesOf(model: GanttModel): Responses[] {
  const byTask = new Map<string, Responses>();
  model.rows.forEach((row, r) => {
    if (!row.jobs) return;
    for (let i = model.first[r] ?? 0; i < (model.first[r + 1] ?? 0); ++i) {
      const task = model.names[model.name[i] ?? 0] ?? "";
      const of = byTask.get(task) ?? {
        task,
        times: [],
        bound: row.bound,
        deadline: row.deadline,
        misses: 0,
      };
      byTask.set(task, of);
      of.times.push((model.end[i] ?? 0) - (model.start[i] ?? 0));
      of.misses += model.missed[i] ?? 0;
    }
  });
  for (const of of byTask.values()) of.times.sort((a, b) => a - b);
  return [...byTask.values()];
}

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Bins of equal and round width over all values. */
export function histogram(sorted: number[], bins: number): Bin[] {
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  if (low === undefined || high === undefined) return [];
  if (!(high > low)) return [{ from: low, to: low, count: sorted.length }];
  const width = (high - low) / bins;
  const out = Array.from({ length: bins }, (_, i) => ({
    from: low + i * width,
    to: low + (i + 1) * width,
    count: 0,
  }));
  for (const value of sorted) {
    const bin = out[Math.min(bins - 1, Math.floor((value - low) / width))];
    if (bin) ++bin.count;
  }
  return out;
}

/** The empirical distribution: at each value the share of jobs that took at most as long. */
export function ecdf(sorted: number[], most = 400): { x: number; y: number }[] {
  const points: { x: number; y: number }[] = [];
  const first = sorted[0];
  if (first === undefined) return points;
  points.push({ x: first, y: 0 });
  const step = Math.max(1, Math.floor(sorted.length / most));
  sorted.forEach((value, i) => {
    const last = i === sorted.length - 1;
    if (!last && (sorted[i + 1] === value || i % step !== 0)) return;
    points.push({ x: value, y: (100 * (i + 1)) / sorted.length });
  });
  return points;
}

function histogramView(of: Responses, unit: string): HTMLElement {
  const bins = histogram(of.times, 40);
  const end = Math.max(of.times[of.times.length - 1] ?? 1, of.bound, of.deadline) * 1.05;
  const top = Math.max(...bins.map((bin) => bin.count), 1);
  const [width, height, left, bottom] = [640, 200, 46, 34];
  const x = (value: number): number => left + (value / end) * (width - left - 12);
  const y = (count: number): number => 12 + (1 - count / top) * (height - bottom - 12);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "chart",
    role: "img",
    "aria-label": visible(`Histogram of the response times of ${of.task}`),
  });
  const axes = svg("g", { class: "axes" });
  for (const value of ticks(0, end, 7)) {
    axes.append(
      svg("text", { x: x(value), y: height - 16, "text-anchor": "middle" }, number(value)),
    );
  }
  axes.append(
    svg("line", { x1: left, x2: width - 12, y1: height - bottom, y2: height - bottom }),
    svg("text", { x: left - 6, y: 20, "text-anchor": "end" }, number(top)),
    svg(
      "text",
      { x: (left + width) / 2, y: height - 2, "text-anchor": "middle" },
      unit === "unit" ? "response time" : `response time, ${unit}`,
    ),
  );
  drawing.append(axes);
  for (const bin of bins) {
    if (bin.count === 0) continue;
    const late = of.deadline > 0 && bin.to > of.deadline + 1e-9;
    const box = svg("rect", {
      x: x(bin.from),
      y: y(bin.count),
      width: Math.max(2, x(bin.to) - x(bin.from) - 0.5),
      height: height - bottom - y(bin.count),
      class: late ? "bin late" : "bin",
    });
    tip(box, () => [plural(bin.count, "job"), `${time(bin.from, unit)} to ${time(bin.to, unit)}`]);
    drawing.append(box);
  }
  for (const [value, name, kind] of [
    [of.bound, "bound", "mark bound"],
    [of.deadline, "deadline", "mark"],
  ] as const) {
    if (value <= 0) continue;
    const right = x(value) > width * 0.8;
    drawing.append(
      svg(
        "g",
        { class: kind },
        svg("line", { x1: x(value), x2: x(value), y1: 4, y2: height - bottom }),
        svg(
          "text",
          {
            x: x(value) + (right ? -5 : 5),
            y: name === "bound" ? 26 : 12,
            "text-anchor": right ? "end" : "start",
          },
          name,
        ),
      ),
    );
  }
  return el(
    "figure",
    { class: "chart-box" },
    el("figcaption", {}, "How often each response time was seen"),
    drawing,
  );
}

function viewOf(of: Responses, unit: string, place: number): Child[] {
  const longest = of.times[of.times.length - 1] ?? 0;
  const marks = [
    ...(of.bound > 0 ? [{ x: of.bound, name: "bound", late: false }] : []),
    ...(of.deadline > 0 ? [{ x: of.deadline, name: "deadline" }] : []),
  ];
  return [
    el(
      "p",
      {},
      `${plural(of.times.length, "job")}, the longest took ${time(longest, unit)}`,
      of.bound > 0 ? `, ${used(longest / of.bound)} of the bound` : "",
      ". ",
      of.misses > 0
        ? el("span", { class: "bad" }, `${of.misses} missed the deadline.`)
        : "No deadline was missed.",
    ),
    el(
      "div",
      { class: "beside charts" },
      histogramView(of, unit),
      lineChart({
        title: "Share of jobs that took at most so long",
        x: unit === "unit" ? "response time" : `response time, ${unit}`,
        y: "jobs, %",
        lines: [{ name: of.task, colour: colour(place), steps: true, points: ecdf(of.times) }],
        marks,
        zero: true,
        top: 103,
      }),
    ),
  ];
}

export function responsesView(model: GanttModel): HTMLElement | null {
  const all = responsesOf(model);
  if (all.length === 0) return null;
  const content = el("div");
  const choice = chooser(
    "Task",
    all.map((of) => of.task),
    (place) => {
      const of = all[place];
      if (of)
        content.replaceChildren(
          ...viewOf(of, model.unit, place).filter((part): part is Node => part instanceof Node),
        );
    },
  );
  return el("div", { class: "responses" }, el("h3", {}, "Response times"), choice, content);
}
