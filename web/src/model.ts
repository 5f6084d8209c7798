import type { Advice, Analysis, Observed, Plan, Slack, Sweep, Verdict } from "./documents";
import type { System as Stated } from "./documents";

export type * from "./documents";

/** With what a file may leave out, and a document of ours says. */
export type System = Stated & Required<Pick<Stated, "name" | "time_unit">>;

/**
 * The joined document that `tactus report` puts into the page. Its parts are the documents that the
 * verbs print with --json; docs/use/report.md lists them.
 */
export interface Report {
  tactus: number;
  version: string;
  palette: string[];
  looks: Record<string, Look>;
  catalogue: { methods: MethodInfo[] };
  systems: SystemEntry[];
  plans: From<Plan>[];
  traces: From<Trace>[];
  observed: From<Observed>[];
  analyses: From<Analysis>[];
  slacks: From<Slack>[];
  sweeps: From<Sweep>[];
  advice: From<Advice>[];
  experiments: From<Experiments>[];
}

/** A document and the name of the file that it was read from. */
export interface From<T> {
  file: string;
  document: T;
  /** Why it does not hold, where that was checked. */
  problem?: string;
}

export interface MethodInfo {
  id: string;
  title: string;
  paper: string;
  assumes: string;
  needs: string;
}

/** How figures draw a method: the same colour, dash and marker as in the SVG files. */
export interface Look {
  colour: string;
  dash: number;
}

export interface SystemEntry {
  file: string;
  system: System;
  analysis: Analysis;
  explanations: Explanation[];
  /** Absent where no method covers the system. */
  slack?: Slack;
  sweep?: Sweep;
}

export type Status = Verdict["status"];

/** The terms of one bound, with how each was counted. */
export interface Explanation {
  method: string;
  task: string;
  terms: { term: string; amount: number; how: string }[];
}

/** A trace as columns, which are a tenth of the size of its events. Times are in microseconds. */
export interface Trace {
  rows: { group: string; name: string }[];
  names: string[];
  kinds: string[];
  /** One entry per slice in each column. `job` and `width` are -1 where the event has none. */
  row: number[];
  name: number[];
  kind: number[];
  start: number[];
  length: number[];
  /** Of a job: from its arrival to its release; documents of earlier versions have none. */
  late?: number[];
  job: number[];
  width: number[];
}

export interface Experiments {
  experiments: Experiment[];
}

export interface Experiment {
  experiment: string;
  title: string;
  figure?: string;
  measure: string;
  sets: number;
  points: {
    case: string;
    x: string;
    sets: number;
    curves: {
      line: string;
      variant: string;
      y: number | null;
      low: number | null;
      high: number | null;
    }[];
  }[];
}
