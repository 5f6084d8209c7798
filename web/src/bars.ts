import { ColourByName } from "./colours";
import { chooser, el, section } from "./dom";
import { explain } from "./explanation";
import { number, time, used } from "./format";
import { answerOf } from "./judge";
import type { MethodInfo, SystemEntry, TaskVerdict, Verdict } from "./model";
import { tip } from "./tooltip";

/** "GPU preemption by camera" is one kind of term with others' preemption. */
export function kindOfTerm(term: string): string {
  const by = term.indexOf(" by ");
  if (by >= 0 && term !== "blocking by updates") return term.slice(0, by);
  return term.replace(/ \d+$/, "");
}

export interface Segment {
  term: string;
  kind: string;
  amount: number;
  from: number;
}

/** The terms one after another; what the bound has beyond them is a term of its own. */
export function stack(task: TaskVerdict): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const [term, amount] of Object.entries(task.terms)) {
    if (amount <= 0) continue;
    segments.push({ term, kind: kindOfTerm(term), amount, from });
    from += amount;
  }
  const rest = (task.bound ?? 0) - from;
  if (task.bound !== null && rest > task.bound * 1e-6) {
    segments.push({ term: "bound", kind: "bound", amount: rest, from });
  }
  return segments;
}

function barView(
  entry: SystemEntry,
  verdict: Verdict,
  task: TaskVerdict,
  colours: ColourByName,
): HTMLElement {
  const unit = entry.system.time_unit;
  const segments = stack(task);
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
        background: colours.of(segment.kind),
      },
    });
    piece.addEventListener("pointerenter", () => {
      piece.classList.add("on");
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

export function barsView(
  entry: SystemEntry,
  methods: MethodInfo[],
  id: string,
): HTMLElement | null {
  const covering = entry.analysis.methods.filter((one) =>
    one.tasks.some((task) => stack(task).length > 0),
  );
  if (covering.length === 0) return null;
  const chosen = answerOf(entry, methods).chosen;
  const first = Math.max(0, chosen ? covering.indexOf(chosen) : 0);
  const list = el("ul", { class: "bars" });
  const legend = el("ul", { class: "legend" });
  const choice = chooser(
    "Method",
    covering.map((one) => `${one.method} (${one.status})`),
    (place) => {
      const verdict = covering[place];
      if (!verdict) return;
      const kinds = new Set(
        verdict.tasks.flatMap((task) => stack(task).map((segment) => segment.kind)),
      );
      const colours = new ColourByName(kinds);
      list.replaceChildren(...verdict.tasks.map((task) => barView(entry, verdict, task, colours)));
      legend.replaceChildren(
        ...[...kinds].map((kind) =>
          el(
            "li",
            {},
            el("span", {
              class: "swatch",
              style: { background: colours.of(kind) },
              "aria-hidden": "true",
            }),
            kind,
          ),
        ),
        el("li", {}, el("span", { class: "swatch line", "aria-hidden": "true" }), "deadline"),
      );
    },
    first,
  );
  return section(id, "What the bounds are made of", choice, legend, list);
}
