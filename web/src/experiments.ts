import { lineChart, type ChartPoint, type Line } from "./chart";
import { colour } from "./colours";
import { el, section } from "./dom";
import { plural } from "./format";
import type { Experiment, Experiments, From, Look } from "./model";

/** The curves of one case: a line per method and variant. Words as x are places on the axis. */
export function linesOf(experiment: Experiment, of: string, looks: Record<string, Look>): Line[] {
  const points = experiment.points.filter((point) => point.case === of);
  const lines = new Map<string, Line>();
  points.forEach((point, place) => {
    const x = Number(point.x);
    for (const { line, variant, y, low, high } of point.curves) {
      if (y === null) continue;
      const name = `${line} (${variant})`;
      const look = looks[line];
      // The second variant of a method has its colour with other dashes.
      const before = [...lines.keys()].filter(
        (key) => key.startsWith(`${line} (`) && key !== name,
      ).length;
      const made: Line = lines.get(name) ?? {
        name,
        colour: look?.colour ?? colour(lines.size),
        dash: before === 0 ? (look?.dash ?? 1) : 2 + ((before + (look?.dash ?? 1)) % 4),
        points: [],
      };
      const at: ChartPoint = { x: Number.isFinite(x) ? x : place, y };
      if (low !== null && high !== null) Object.assign(at, { low, high });
      made.points.push(at);
      lines.set(name, made);
    }
  });
  return [...lines.values()];
}

const measures: Record<string, string> = { accepted: "schedulable sets, %" };

export function experimentsView(
  from: From<Experiments>,
  looks: Record<string, Look>,
  id: string,
): HTMLElement {
  const parts = from.document.experiments.map((experiment) => {
    const cases = [...new Set(experiment.points.map((point) => point.case))];
    const accepted = experiment.measure === "accepted";
    return el(
      "div",
      { class: "experiment" },
      el("h3", {}, `${experiment.experiment}: ${experiment.title}`),
      el(
        "p",
        { class: "detail" },
        `${plural(experiment.sets, "set")} per point; bands are 95 % intervals`,
      ),
      el(
        "div",
        { class: "beside charts" },
        ...cases.map((one) =>
          lineChart({
            title: one === "" ? (experiment.figure ?? experiment.title) : one,
            x: "x",
            y: measures[experiment.measure] ?? experiment.measure,
            lines: linesOf(experiment, one, looks),
            zero: accepted,
            ...(accepted ? { top: 103 } : {}),
          }),
        ),
      ),
    );
  });
  return section(id, "Experiments", ...parts, el("p", { class: "source" }, `From ${from.file}`));
}
