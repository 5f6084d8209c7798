import { lineChart, type Line } from "./chart";
import { colourOfTask } from "./colours";
import { el, section, table } from "./dom";
import { number, percent } from "./format";
import type { Knob, Slack, Sweep, System } from "./model";

/** How far a value may go from where it is, as a share of it; negative where it must go down. */
export function room(knob: Knob): number | null {
  if (knob.holds === null || knob.now === null || knob.now === 0) return null;
  return (knob.holds - knob.now) / knob.now;
}

function roomView(knob: Knob): HTMLElement | string {
  const share = room(knob);
  if (share === null) return "–";
  const width = `${Math.min(100, Math.abs(share) * 100)}%`;
  return el(
    "span",
    { class: "room" },
    el("span", {
      class: share < 0 ? "room-bar bad" : "room-bar",
      style: { width },
      "aria-hidden": "true",
    }),
    el("span", { class: "room-text" }, `${share > 0 ? "+" : ""}${percent(share)}`),
  );
}

export function slackTable(slack: Slack): HTMLElement {
  return table<Knob>(
    `Under ${slack.method} (${slack.variant}), one value at a time`,
    [
      { title: "value", of: (knob) => knob.of },
      { title: "now", of: (knob) => number(knob.now), number: true },
      { title: "holds up to", of: (knob) => number(knob.holds), number: true },
      { title: "room", of: roomView },
      {
        title: "then late",
        of: ({ breaks }) => breaks?.task ?? (breaks?.chain ? `chain ${breaks.chain}` : "–"),
      },
    ],
    slack.slack,
  );
}

/** A curve per task: its bound as a share of its deadline, along one value. */
export function sweepView(sweep: Sweep, system: System | undefined): HTMLElement {
  const tasks = Object.keys(sweep.points[0]?.bounds ?? {});
  const deadlines = new Map(system?.tasks.map((task) => [task.name, task.deadline ?? task.period]));
  const known = tasks.every((task) => (deadlines.get(task) ?? 0) > 0);
  const lines: Line[] = tasks.map((task) => ({
    name: task,
    colour: colourOfTask(task),
    points: sweep.points.flatMap(({ value, bounds }) => {
      const bound = bounds[task];
      if (bound === null || bound === undefined) return [];
      return [{ x: value, y: known ? (100 * bound) / (deadlines.get(task) ?? 1) : bound }];
    }),
  }));
  return lineChart({
    title: `Which deadline breaks first where ${sweep.of === "all times" ? "every time changes" : `${sweep.of} changes`}? Under ${sweep.method} (${sweep.variant})`,
    x: sweep.of === "all times" ? "factor on all times" : sweep.of,
    y: known ? "bound, % of the deadline" : "bound",
    lines,
    marks: known ? [{ y: 100, name: "deadline" }] : [],
    zero: true,
  });
}

export function slackView(
  slack: Slack | undefined,
  sweep: Sweep | undefined,
  system: System | undefined,
  id: string,
  title = "Slack",
): HTMLElement | null {
  if (!slack && !sweep) return null;
  return section(
    id,
    title,
    sweep && sweepView(sweep, system),
    slack &&
      el(
        "details",
        { open: slack.slack.length <= 12 },
        el("summary", {}, "How far each value may go"),
        slackTable(slack),
      ),
  );
}
