/**
 * The page: sections made from one joined document. `mount` may be called again with another
 * document; nothing here knows where the document came from.
 */
import { adviceView } from "./advice";
import { answerView } from "./answer";
import { barsView } from "./bars";
import { usePalette, useTasks } from "./colours";
import { el, section, type Child } from "./dom";
import { experimentsView } from "./experiments";
import { microseconds } from "./format";
import { modelOfPlan, modelOfTrace, type Promised } from "./gantt/model";
import { gantts, ganttView } from "./gantt/view";
import { answerOf } from "./judge";
import { matrixView } from "./matrix";
import type { Analysis, From, MethodInfo, Report, System, SystemEntry, Trace } from "./model";
import { observedView } from "./observed";
import { planView } from "./plan";
import { responsesView } from "./responses";
import { slackView } from "./slack";
import { systemView } from "./system";

/** A document that is not what it seems must not take the other parts with it. */
function guarded(title: string, id: string, make: () => HTMLElement | null): HTMLElement | null {
  try {
    return make();
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : String(problem);
    return section(id, title, el("p", { class: "bad" }, `This part cannot be shown: ${why}`));
  }
}

function systemParts(entry: SystemEntry, report: Report, id: string): Child[] {
  const methods = report.catalogue.methods;
  return [
    answerView(entry, methods, `${id}answer`),
    matrixView(entry, methods, `${id}methods`),
    barsView(entry, methods, `${id}bounds`),
    slackView(entry.slack, entry.sweep, entry.system, `${id}slack`),
    systemView(entry, `${id}system`),
  ];
}

function systemOf(report: Report, name: string): SystemEntry | undefined {
  return report.systems.find((entry) => entry.system.name === name);
}

/** The system whose tasks a trace names; a trace does not say which it is. */
function systemOfTrace(report: Report, trace: Trace): SystemEntry | undefined {
  const rows = new Set(trace.rows.filter((row) => row.group === "jobs").map((row) => row.name));
  return report.systems.find((entry) => entry.system.tasks.some((task) => rows.has(task.name)));
}

/** Bounds and deadlines for the jobs of a trace: of a run report, else of the chosen method. */
function promisesFor(report: Report, entry: SystemEntry | undefined): Map<string, Promised> {
  const run = report.observed.find((one) => one.document.system === entry?.system.name);
  const chosen = entry ? answerOf(entry, report.catalogue.methods).chosen : undefined;
  const tasks = run?.document.tasks ?? chosen?.tasks ?? [];
  return new Map(tasks.map(({ task, bound, deadline }) => [task, { bound, deadline }]));
}

function traceView(report: Report, from: From<Trace>, id: string): HTMLElement {
  const entry = systemOfTrace(report, from.document);
  const unit = entry?.system.time_unit ?? "us";
  const model = modelOfTrace(
    from.document,
    entry?.system,
    promisesFor(report, entry),
    microseconds(unit),
  );
  return section(
    id,
    "What happened",
    ganttView(model, "What happened", entry?.system.chains),
    responsesView(model),
    el("p", { class: "source" }, `From ${from.file}`),
  );
}

/** A section for each thing that the document has. */
export function partsOf(report: Report): Child[] {
  gantts.length = 0; // those of an earlier document are gone with it
  usePalette(report.palette);
  const tasks = report.systems.flatMap((entry) => entry.system.tasks);
  useTasks([
    ...tasks.filter((task) => task.best_effort !== true).map((task) => task.name),
    ...tasks.map((task) => task.name),
  ]);
  const parts: Child[] = [];
  const each = <T>(
    list: From<T>[],
    kind: string,
    view: (from: From<T>, id: string) => HTMLElement | null,
  ): void => {
    list.forEach((from, i) => {
      parts.push(guarded(from.file, `${kind}${i}`, () => view(from, `${kind}${i}`)));
    });
  };
  report.systems.forEach((entry, i) =>
    parts.push(...systemParts(entry, report, i === 0 ? "" : `s${i}-`)),
  );
  each(report.plans, "plan", (plan, id) => {
    const unit = systemOf(report, plan.document.system)?.system.time_unit ?? "";
    const model = modelOfPlan(plan.document, unit);
    return planView(plan, model && ganttView(model, `Plan of ${plan.document.method}`), id);
  });
  each(report.observed, "observed", (observed, id) =>
    observedView(observed, systemOf(report, observed.document.system)?.system.time_unit ?? "", id),
  );
  each(report.traces, "trace", (trace, id) => traceView(report, trace, id));
  each(report.slacks, "slack", (slack, id) =>
    slackView(
      slack.document,
      undefined,
      systemOf(report, slack.document.system)?.system,
      id,
      `Slack from ${slack.file}`,
    ),
  );
  each(report.sweeps, "sweep", (sweep, id) =>
    slackView(
      undefined,
      sweep.document,
      systemOf(report, sweep.document.system)?.system,
      id,
      `Sweep from ${sweep.file}`,
    ),
  );
  each(report.advice, "advice", adviceView);
  each(report.analyses, "analysis", (analysis, id) =>
    analysisView(analysis, report.catalogue.methods, id),
  );
  each(report.experiments, "experiments", (one, id) => experimentsView(one, report.looks, id));
  return parts;
}

/** Verdicts without their system: what can be said from them alone. */
function analysisView(from: From<Analysis>, methods: MethodInfo[], id: string): HTMLElement {
  const names = new Set(
    from.document.methods.flatMap((verdict) => verdict.tasks.map((task) => task.task)),
  );
  const system: System = {
    tactus: 1,
    name: from.document.system,
    time_unit: from.document.time_unit,
    platform: { elements: [] },
    tasks: [...names].map((name) => ({ name, nodes: [] })),
  };
  const entry: SystemEntry = { file: from.file, system, analysis: from.document, explanations: [] };
  return section(
    id,
    `Verdicts on ${system.name}`,
    answerView(entry, methods, `${id}-answer`),
    matrixView(entry, methods, `${id}-methods`),
    barsView(entry, methods, `${id}-bounds`),
  );
}

/** One word where that says enough: all of them should fit beside each other. */
const kShort: Record<string, string> = {
  methods: "Methods",
  bounds: "Bounds",
  arbiter: "Arbiter",
  compare: "Compared",
};

export function navigation(parts: Child[]): HTMLElement {
  const list = el("ul");
  for (const part of parts) {
    if (!(part instanceof HTMLElement)) continue;
    const title =
      part.querySelector("h2 .of")?.textContent ??
      kShort[part.id.replace(/^s\d+-/, "")] ??
      part.querySelector("h2")?.textContent ??
      part.id;
    list.append(el("li", {}, el("a", { href: `#${part.id}` }, title)));
  }
  return el("nav", { "aria-label": "Sections" }, list);
}

export function mount(root: HTMLElement, report: Report): void {
  const parts = partsOf(report);
  const names = report.systems.map((entry) => entry.system.name);
  root.replaceChildren(
    el("a", { class: "skip", href: "#content" }, "To the content"),
    el("header", {}, el("p", { class: "brand" }, "Tactus"), navigation(parts)),
    el(
      "main",
      { id: "content", tabindex: -1 },
      el("h1", { class: "title" }, names.length > 0 ? names.join(", ") : "Report"),
      ...(parts.length > 0 ? parts : [section("empty", "Nothing to show")]),
    ),
    el(
      "footer",
      {},
      el("p", {}, `Made by tactus ${report.version}. This page loads nothing from elsewhere.`),
    ),
  );
}
