import { colourOfTask } from "./colours";
import { el, section, table } from "./dom";
import { number, plural, time } from "./format";
import type { From, Observed } from "./model";
import { tip } from "./tooltip";

type Row = Observed["tasks"][number];

/** What is beyond so many deadlines is cut off: one late task must not hide the others. */
const kMostDeadlines = 2;

/**
 * Shortest to longest response against bound and deadline, on one line, in which every deadline is at
 * the same place; nothing where there is none.
 */
function rangeView(row: Row, unit: string, most: number): HTMLElement | string {
  const { response, bound, deadline } = row;
  if (deadline === null || deadline <= 0) return "–";
  const over = bound !== null && row.longest_covered > bound;
  const at = (value: number): string => `${(Math.min(value / deadline, most) / most) * 100}%`;
  const line = el(
    "span",
    { class: "range", tabindex: 0, role: "img" },
    el("span", {
      class: row.misses > 0 || over ? "span bad" : "span",
      style: {
        left: at(response.min),
        width: at(Math.max(response.max - response.min, deadline / 100)),
        ...(row.misses > 0 || over ? {} : { background: colourOfTask(row.task) }),
      },
    }),
    el("span", { class: "tick", style: { left: at(response.p99) } }),
    bound !== null && el("span", { class: "limit bound", style: { left: at(bound) } }),
    el("span", { class: "limit", style: { left: at(deadline) } }),
  );
  tip(line, () => [
    `${row.task}: ${plural(row.jobs, "job")}`,
    `shortest ${time(response.min, unit)}, 99 % within ${time(response.p99, unit)}, longest ${time(response.max, unit)}`,
    bound === null ? "no bound" : `bound ${time(bound, unit)}`,
    `deadline ${time(deadline, unit)}`,
  ]);
  return line;
}

export function observedView(from: From<Observed>, unit: string, id: string): HTMLElement {
  const observed = from.document;
  const longest = observed.tasks.map(({ response, bound, deadline }) =>
    deadline === null ? 0 : Math.max(response.max, bound ?? 0) / deadline,
  );
  const most = Math.min(kMostDeadlines, Math.max(1, ...longest)) * 1.05;
  return section(
    id,
    observed.producer === "simulator" ? "Simulated run" : "Observed run",
    el(
      "p",
      { class: `verdict ${observed.good ? "good" : "bad"}` },
      el("span", { class: "mark", "aria-hidden": "true" }, observed.good ? "✓" : "✕"),
      observed.good
        ? "No deadline was missed and no bound exceeded"
        : "A deadline was missed, a bound exceeded, or something failed",
    ),
    table<Row>(
      `Response times${unit === "unit" || unit === "" ? "" : ` in ${unit}`}`,
      [
        { title: "task", of: (row) => row.task },
        { title: "jobs", of: (row) => number(row.jobs), number: true },
        { title: "mean", of: (row) => number(row.response.mean), number: true },
        { title: "p99", of: (row) => number(row.response.p99), number: true },
        { title: "longest", of: (row) => number(row.response.max), number: true },
        { title: "bound", of: (row) => number(row.bound), number: true },
        { title: "deadline", of: (row) => number(row.deadline), number: true },
        {
          title: "misses",
          of: (row) => el("span", { class: row.misses > 0 ? "bad" : "" }, number(row.misses)),
          number: true,
        },
        { title: "share of the deadline", of: (row) => rangeView(row, unit, most) },
      ],
      observed.tasks,
    ),
    el(
      "ul",
      { class: "legend" },
      el("li", {}, el("span", { class: "swatch grey", "aria-hidden": "true" }), "what was seen"),
      el("li", {}, el("span", { class: "swatch line soft", "aria-hidden": "true" }), "99 %"),
      el("li", {}, el("span", { class: "swatch line", "aria-hidden": "true" }), "bound"),
      el("li", {}, el("span", { class: "swatch line late", "aria-hidden": "true" }), "deadline"),
    ),
    ...observed.notes.map((note) => el("p", { class: "detail" }, note)),
    el(
      "p",
      { class: "source" },
      `${observed.system} under ${observed.method} (${observed.variant}), ${observed.producer}${observed.scenario === undefined ? "" : `, scenario ${observed.scenario}`}; from ${from.file}`,
    ),
  );
}
