/** What is known about the system that is edited: its report, and what was asked for by hand. */
import type { Advice, From, Observed, Plan, Report, Trace } from "../model";

/** Documents of jobs; they say of which text they are. */
export interface Extra {
  kind: "plan" | "simulation" | "advice";
  title: string;
  text: string;
  document: unknown;
  trace?: unknown;
}

function from<T>(extra: Extra, text: string, document: unknown): From<T> {
  const old = extra.text === text ? "" : ", of an earlier version";
  return { file: `${extra.title}${old}`, document: document as T };
}

/** The report with the further documents in it; the newest of each kind first. */
export function joined(report: Report, extras: Extra[], text: string): Report {
  const of = (kind: Extra["kind"]): Extra[] => extras.filter((one) => one.kind === kind).reverse();
  const runs = of("simulation");
  return {
    ...report,
    plans: [...report.plans, ...of("plan").map((one) => from<Plan>(one, text, one.document))],
    observed: [...report.observed, ...runs.map((one) => from<Observed>(one, text, one.document))],
    traces: [
      ...report.traces,
      ...runs
        .filter((one) => one.trace !== undefined)
        .map((one) => from<Trace>(one, text, one.trace)),
    ],
    advice: [...report.advice, ...of("advice").map((one) => from<Advice>(one, text, one.document))],
  };
}

/** The last of each kind: a page with ten runs shows none of them. */
export function kept(extras: Extra[], added: Extra): Extra[] {
  return [...extras.filter((one) => one.kind !== added.kind), added];
}
