/** Response times of the jobs in a trace: how they are distributed, against bound and deadline. */
import { barChart } from "./chart";
import { colourOfTask } from "./colours";
import { chooser, el, type Child } from "./dom";
import { plural, time, used } from "./format";
import type { GanttModel } from "./gantt/model";

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
      if (model.kinds[model.kind[i] ?? 0] === "unfinished") continue; // its end was not seen
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

function histogramView(of: Responses, unit: string): HTMLElement {
  const marks = [
    ...(of.bound > 0 ? [{ x: of.bound, name: "bound", late: false }] : []),
    ...(of.deadline > 0 ? [{ x: of.deadline, name: "deadline" }] : []),
  ];
  const bins = histogram(of.times, 40).filter((bin) => bin.count > 0);
  return barChart({
    title: "How often each response time was seen",
    x: unit === "unit" ? "response time" : `response time, ${unit}`,
    y: "jobs",
    lines: [],
    bars: bins.map(({ from, to, count }) => ({
      from,
      to,
      height: count,
      colour: of.deadline > 0 && to > of.deadline + 1e-9 ? "var(--bad)" : colourOfTask(of.task),
      about: [plural(count, "job"), `${time(from, unit)} to ${time(to, unit)}`],
    })),
    marks,
    zero: true,
  });
}

function viewOf(of: Responses, unit: string): Child[] {
  const longest = of.times[of.times.length - 1] ?? 0;
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
    histogramView(of, unit),
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
          ...viewOf(of, model.unit).filter((part): part is Node => part instanceof Node),
        );
    },
  );
  return el("div", { class: "responses" }, el("h3", {}, "Response times"), choice, content);
}
