import { inkOn, slackColour } from "./colours";
import { el, section, visible } from "./dom";
import { percent, plural, time, used } from "./format";
import { explain } from "./explanation";
import { slackOf } from "./judge";
import type { Analysis, MethodInfo, SystemEntry, TaskVerdict, Verdict } from "./model";
import { tip } from "./tooltip";

type Standing = Analysis["standings"][number];
type Group = Standing["group"];

/** As the command line says it. */
const kHeadings: [Group, string][] = [
  ["runs here", "Proved, and run here"],
  ["not run here", "Proved, but not run here"],
  ["not proved", "Not proved"],
  ["undecided", "Undecided"],
];

function cellLines(task: TaskVerdict, verdict: Verdict, unit: string): string[] {
  const slack = slackOf(task);
  return [
    `${task.task} under ${verdict.method}${verdict.variant === "safe" ? "" : ` (${verdict.variant})`}`,
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
  const text = task.schedulable ? (slack === null ? "✓" : percent(slack)) : "✕";
  const button = el("button", {
    type: "button",
    class: task.schedulable ? "cell" : "cell late",
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

/** A method, with those whose id goes on from its own and that say the same: "gcaps.busy[.prio]". */
export interface Line {
  standing: Standing;
  verdict: Verdict;
  label: string;
}

/** The lines of each group that has some, in the order of the command line. */
export function groupsOf(analysis: Analysis): { group: Group; title: string; lines: Line[] }[] {
  const all = [...analysis.methods, ...(analysis.deployable ?? [])];
  const bounds = ({ tasks }: Verdict): string =>
    JSON.stringify(tasks.map((task) => [task.task, task.bound, task.schedulable]));
  return kHeadings.flatMap(([group, title]) => {
    const lines: Line[] = [];
    for (const standing of analysis.standings.filter((one) => one.group === group)) {
      const verdict = all.find(
        (one) => one.method === standing.method && one.variant === standing.variant,
      );
      if (!verdict) continue;
      const same = lines.find(
        (line) =>
          standing.method.startsWith(`${line.standing.method}.`) &&
          standing.variant === line.standing.variant &&
          bounds(verdict) === bounds(line.verdict),
      );
      if (same) same.label += `[${standing.method.slice(same.standing.method.length)}]`;
      else lines.push({ standing, verdict, label: standing.method });
    }
    for (const line of lines) {
      if (line.standing.variant !== "safe") line.label += ` (${line.standing.variant})`;
    }
    return lines.length > 0 ? [{ group, title, lines }] : [];
  });
}

function lineView(
  entry: SystemEntry,
  { standing, verdict, label }: Line,
  names: string[],
  methods: MethodInfo[],
): HTMLElement {
  const method = methods.find((one) => one.id === verdict.method);
  const name = el("th", { scope: "row", tabindex: 0 }, label);
  tip(name, () => [
    label,
    ...(method ? [method.title, method.paper] : []),
    ...(verdict.reason === undefined ? [] : [verdict.reason]),
  ]);
  const byTask = new Map(verdict.tasks.map((task) => [task.task, task]));
  return el(
    "tr",
    {},
    name,
    el("td", { class: "by" }, standing.run_by ?? "–"),
    ...names.map((task) => cellView(entry, verdict, byTask.get(task))),
  );
}

function grid(
  entry: SystemEntry,
  groups: ReturnType<typeof groupsOf>,
  methods: MethodInfo[],
): HTMLElement {
  const names = entry.system.tasks
    .filter((task) => task.best_effort !== true)
    .map((task) => task.name);
  const heads = ["method", "run by", ...names].map((name) => el("th", { scope: "col" }, name));
  const caption = "Slack, as a share of the deadline";
  return el(
    "div",
    {
      class: "scroll",
      tabindex: 0,
      role: "region",
      "aria-label": `${caption}: ${groups.map(({ title }) => title).join(", ")}, ${visible(entry.system.name)}`,
    },
    el(
      "table",
      { class: "matrix" },
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...heads)),
      ...groups.map(({ title, lines }) =>
        el(
          "tbody",
          {},
          el(
            "tr",
            {},
            el("th", { class: "group", colspan: heads.length, scope: "rowgroup" }, title),
          ),
          ...lines.map((line) => lineView(entry, line, names, methods)),
        ),
      ),
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
  const groups = groupsOf(entry.analysis);
  const proved = groups.filter(({ group }) => group === "runs here" || group === "not run here");
  // What is not proved is folded beside what is.
  const shown = proved.length > 0 ? proved : groups;
  const rest = groups.filter((group) => !shown.includes(group));
  const count = rest.reduce((sum, { lines }) => sum + lines.length, 0);
  return section(
    id,
    "Methods and tasks",
    ...(shown.length > 0
      ? [
          el(
            "p",
            { class: "detail" },
            "Which way to run it proves which deadline, and with how much room? The darker, the less; ✕ is not proved. Click a field for its terms.",
          ),
          grid(entry, shown, methods),
        ]
      : [el("p", {}, "No method covers this system.")]),
    count > 0 &&
      el(
        "details",
        {},
        el("summary", {}, `${plural(count, "method")} that do not prove it`),
        grid(entry, rest, methods),
      ),
    refusals(entry),
  );
}
