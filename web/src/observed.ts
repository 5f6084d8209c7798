import { el, section, table } from "./dom";
import { number, plural, time } from "./format";
import type { From, Observed } from "./model";
import { tip } from "./tooltip";

type Row = Observed["tasks"][number];

/** Shortest to longest response against bound and deadline, on one line. */
function rangeView(row: Row, unit: string): HTMLElement {
  const { response, bound, deadline } = row;
  const end = Math.max(response.max, bound ?? 0, deadline ?? 0) * 1.05 || 1;
  const at = (value: number): string => `${(value / end) * 100}%`;
  const over = bound !== null && row.longest_covered > bound;
  const line = el(
    "span",
    { class: "range", tabindex: 0, role: "img" },
    el("span", {
      class: row.misses > 0 || over ? "span bad" : "span",
      style: {
        left: at(response.min),
        width: at(Math.max(response.max - response.min, end / 200)),
      },
    }),
    el("span", { class: "tick", style: { left: at(response.p99) } }),
    bound !== null && el("span", { class: "limit bound", style: { left: at(bound) } }),
    deadline !== null && el("span", { class: "limit", style: { left: at(deadline) } }),
  );
  tip(line, () => [
    `${row.task}: ${plural(row.jobs, "job")}`,
    `shortest ${time(response.min, unit)}, 99 % within ${time(response.p99, unit)}, longest ${time(response.max, unit)}`,
    bound === null ? "no bound" : `bound ${time(bound, unit)}`,
    deadline === null ? "no deadline" : `deadline ${time(deadline, unit)}`,
  ]);
  return line;
}

export function observedView(from: From<Observed>, unit: string, id: string): HTMLElement {
  const observed = from.document;
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
        { title: "observed, bound and deadline", of: (row) => rangeView(row, unit) },
      ],
      observed.tasks,
    ),
    ...observed.notes.map((note) => el("p", { class: "detail" }, note)),
    el(
      "p",
      { class: "source" },
      `${observed.system} under ${observed.method} (${observed.variant}), ${observed.producer}${observed.scenario === undefined ? "" : `, scenario ${observed.scenario}`}; from ${from.file}`,
    ),
  );
}
