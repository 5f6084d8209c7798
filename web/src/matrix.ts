import { inkOn, slackColour } from "./colours";
import { el, section, visible } from "./dom";
import { percent, plural, time, used } from "./format";
import { explain } from "./explanation";
import { slackOf } from "./judge";
import type { MethodInfo, SystemEntry, TaskVerdict, Verdict } from "./model";
import { tip } from "./tooltip";

function cellLines(task: TaskVerdict, verdict: Verdict, unit: string): string[] {
  const slack = slackOf(task);
  return [
    `${task.task} under ${verdict.method}`,
    task.bound === null ? "no bound" : `bound ${time(task.bound, unit)}`,
    task.deadline === null ? "no deadline" : `deadline ${time(task.deadline, unit)}`,
    ...(slack === null
      ? []
      : [slack >= 0 ? `slack ${percent(slack)}` : `${used(-slack)} too long`]),
    ...(task.note === undefined ? [] : [task.note]),
    task.schedulable ? "proved" : task.deadline === null ? "" : "not proved",
  ].filter((line) => line !== "");
}

function cellView(
  entry: SystemEntry,
  verdict: Verdict,
  task: TaskVerdict | undefined,
): HTMLElement {
  if (!task) return el("td", { class: "none" }, "–");
  const slack = slackOf(task);
  const text = task.schedulable
    ? slack === null
      ? "✓"
      : percent(slack)
    : task.deadline === null
      ? "–"
      : "✕";
  const button = el("button", {
    type: "button",
    class: task.schedulable ? "cell" : task.deadline === null ? "cell none" : "cell late",
    click: () => {
      explain(entry, verdict, task);
    },
  });
  button.append(text);
  if (task.schedulable && slack !== null) {
    const fill = slackColour(slack);
    button.style.setProperty("background", fill);
    button.style.setProperty("color", inkOn(fill));
  }
  tip(button, () => cellLines(task, verdict, entry.system.time_unit));
  return el("td", {}, button);
}

const marks: Record<string, string> = { schedulable: "✓", unschedulable: "✕", undecided: "?" };

function grid(entry: SystemEntry, covering: Verdict[], methods: MethodInfo[]): HTMLElement {
  const names = entry.system.tasks.map((task) => task.name);
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "method"),
    el("th", { scope: "col" }, "all"),
  );
  for (const name of names) head.append(el("th", { scope: "col" }, name));
  const body = el("tbody");
  for (const verdict of covering) {
    const method = methods.find((one) => one.id === verdict.method);
    const name = el("th", { scope: "row", tabindex: 0 }, verdict.method);
    tip(name, () => [
      `${verdict.method} (${verdict.variant})`,
      ...(method ? [method.title, method.paper] : []),
      ...(verdict.reason === undefined ? [] : [verdict.reason]),
    ]);
    const all = el(
      "td",
      { class: verdict.status === "schedulable" ? "good" : "bad" },
      marks[verdict.status] ?? "",
    );
    const line = el("tr", {}, name, all);
    all.setAttribute("aria-label", verdict.status);
    const byTask = new Map(verdict.tasks.map((task) => [task.task, task]));
    for (const task of names) line.append(cellView(entry, verdict, byTask.get(task)));
    body.append(line);
  }
  return el(
    "div",
    {
      class: "scroll",
      tabindex: 0,
      role: "region",
      "aria-label": `Slack by method and task of ${visible(entry.system.name)}`,
    },
    el(
      "table",
      { class: "matrix" },
      el("caption", {}, "Slack, as a share of the deadline"),
      el("thead", {}, head),
      body,
    ),
  );
}

/** Methods that do not cover the system, under the reason they give. */
function refusals(entry: SystemEntry): HTMLElement | null {
  const byReason = new Map<string, string[]>();
  for (const verdict of entry.analysis.methods) {
    if (verdict.status !== "not-applicable") continue;
    const reason = verdict.obstacles?.[0]?.reason ?? verdict.reason ?? "";
    byReason.set(reason, [...(byReason.get(reason) ?? []), verdict.method]);
  }
  if (byReason.size === 0) return null;
  const list = el("ul");
  let count = 0;
  for (const [reason, methods] of byReason) {
    count += methods.length;
    list.append(el("li", {}, el("strong", {}, methods.join(", ")), `: ${reason}`));
  }
  return el(
    "details",
    {},
    el("summary", {}, `${plural(count, "method")} that cannot be applied, and why`),
    list,
  );
}

export function matrixView(entry: SystemEntry, methods: MethodInfo[], id: string): HTMLElement {
  const covering = entry.analysis.methods.filter((verdict) => verdict.status !== "not-applicable");
  return section(
    id,
    "Methods and tasks",
    covering.length > 0 &&
      el(
        "p",
        { class: "detail" },
        "The darker a field, the less room; ✕ is a deadline that this method does not prove. Click a field for the explanation.",
      ),
    covering.length > 0
      ? grid(entry, covering, methods)
      : el("p", {}, "No method covers this system."),
    refusals(entry),
  );
}
