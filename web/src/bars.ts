import { colourOfTask, greysFor, type ColourByName } from "./colours";
import { chooser, el, named, section } from "./dom";
import { explain } from "./explanation";
import { number, time, used } from "./format";
import { answerOf } from "./judge";
import type { MethodInfo, Status, SystemEntry, TaskVerdict, Verdict } from "./model";
import { tip } from "./tooltip";

/** For whose work a task waits: "GPU preemption by camera" is camera's, "own GPU work" its own. */
export function whoseTerm(term: string, task: string, tasks: Set<string>): string | undefined {
  if (term === "length" || term === "bound" || term.startsWith("own ")) return task;
  for (let at = term.indexOf(" by "); at >= 0; at = term.indexOf(" by ", at + 1)) {
    if (tasks.has(term.slice(at + 4))) return term.slice(at + 4);
  }
  return undefined;
}

export interface Segment {
  term: string;
  /** The task that is worked for; where none is, what it is. */
  whose: string | undefined;
  kind: string;
  amount: number;
  from: number;
}

/** The terms one after another; what the bound has beyond them is a term of its own. */
export function stack(task: TaskVerdict, tasks: Set<string>): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  const add = (term: string, amount: number): void => {
    const whose = whoseTerm(term, task.task, tasks);
    segments.push({ term, whose, kind: term.replace(/ \d+$/, ""), amount, from });
    from += amount;
  };
  for (const [term, amount] of Object.entries(task.terms)) if (amount > 0) add(term, amount);
  const rest = (task.bound ?? 0) - from;
  if (task.bound !== null && rest > task.bound * 1e-6) add("bound", rest);
  return segments;
}

function barView(
  entry: SystemEntry,
  verdict: Verdict,
  task: TaskVerdict,
  segments: Segment[],
  greys: ColourByName,
): HTMLElement {
  const unit = entry.system.time_unit;
  const last = segments[segments.length - 1];
  const total = last ? last.from + last.amount : 0;
  const deadline = task.deadline ?? 0;
  // 100 % is the deadline; what is longer shrinks the scale of its own row, down to a fifth.
  const scale = Math.min(Math.max(total, deadline) * 1.04, Math.max(deadline, 1e-9) * 5) || 1;
  const width = (amount: number): string => `${Math.min(100, (amount / scale) * 100)}%`;
  const bar = el("div", { class: "bar" });
  for (const segment of segments) {
    const piece = el("span", {
      class: "piece",
      style: {
        left: width(segment.from),
        width: width(segment.amount),
        background:
          segment.whose === undefined ? greys.of(segment.kind) : colourOfTask(segment.whose),
      },
    });
    tip(piece, () => [segment.term, `${time(segment.amount, unit)} of ${time(total, unit)}`]);
    bar.append(piece);
  }
  if (deadline > 0) {
    bar.append(
      el("span", { class: "deadline", style: { left: width(deadline) }, "aria-hidden": "true" }),
    );
  }
  const result =
    task.bound === null
      ? (task.note ?? "no bound")
      : `${number(task.bound)} of ${time(task.deadline, unit)}`;
  const share = task.bound === null || deadline <= 0 ? "" : ` (${used(task.bound / deadline)})`;
  const button = el(
    "button",
    {
      type: "button",
      class: "bar-row",
      click: () => {
        explain(entry, verdict, task);
      },
    },
    el("span", { class: "bar-name" }, task.task),
    bar,
    el("span", { class: task.schedulable ? "bar-result" : "bar-result bad" }, `${result}${share}`),
  );
  return el("li", {}, button);
}

/** As the command line says it. */
const kAnswers: Record<Status, string> = {
  schedulable: "proved",
  unschedulable: "not proved",
  undecided: "undecided",
  "not-applicable": "cannot be applied",
};

export function barsView(
  entry: SystemEntry,
  methods: MethodInfo[],
  id: string,
): HTMLElement | null {
  const names = new Set(entry.system.tasks.map((task) => task.name));
  const covering = entry.analysis.methods.filter((one) =>
    one.tasks.some((task) => stack(task, names).length > 0),
  );
  if (covering.length === 0) return null;
  const chosen = answerOf(entry, methods).chosen;
  const first = Math.max(0, chosen ? covering.indexOf(chosen) : 0);
  const list = el("ul", { class: "bars" });
  const legend = el("ul", { class: "legend" });
  const choice = chooser(
    "Method",
    covering.map((one) => `${one.method} (${kAnswers[one.status]})`),
    (place) => {
      const verdict = covering[place];
      if (!verdict) return;
      const stacks = verdict.tasks
        .filter((task) => task.deadline !== null)
        .map((task) => ({ task, segments: stack(task, names) }));
      const all = stacks.flatMap(({ segments }) => segments);
      const whose = new Set(all.flatMap((segment) => segment.whose ?? []));
      const costs = new Set(
        all.flatMap((segment) => (segment.whose === undefined ? [segment.kind] : [])),
      );
      const greys = greysFor(costs);
      list.replaceChildren(
        ...stacks.map(({ task, segments }) => barView(entry, verdict, task, segments, greys)),
      );
      legend.replaceChildren(
        ...[...whose].map((task) => el("li", {}, named(colourOfTask(task), task))),
        ...[...costs].map((kind) => el("li", {}, named(greys.of(kind), kind))),
        el("li", {}, el("span", { class: "swatch line", "aria-hidden": "true" }), "deadline"),
      );
    },
    first,
  );
  return section(
    id,
    "What the bounds are made of",
    el(
      "p",
      { class: "detail" },
      "For whose work does each task wait, its own included? Grey is nobody's work. Click a row for its terms.",
    ),
    choice,
    legend,
    list,
  );
}
