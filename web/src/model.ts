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

export interface System {
  name: string;
  time_unit: string;
  platform: { elements: Element[] };
  tasks: Task[];
  chains?: Chain[];
}

/** A requirement from end to end. */
export interface Chain {
  name: string;
  tasks: string[];
  reaction?: number;
  age?: number;
}

export interface Element {
  name: string;
  kind: string;
  units: number;
  [attribute: string]: unknown;
}

export interface Task {
  name: string;
  period?: number;
  deadline?: number;
  best_effort?: boolean;
  nodes: GraphNode[];
  edges?: [string, string][];
  [attribute: string]: unknown;
}

export interface GraphNode {
  name: string;
  on: string;
  wcet?: number;
  load?: number;
  [attribute: string]: unknown;
}

export type Status = "schedulable" | "unschedulable" | "undecided" | "not-applicable";

export interface Analysis {
  system: string;
  judged_by: "named" | "any" | "deployed";
  deployed?: { method: string; variant: string };
  /** The answer that counts: what runs here first, then what leaves most room. */
  best?: { method: string; variant: string; cover?: Cover } | null;
  status: Status;
  /** What to say first; documents of earlier versions have none. */
  headline?: Headline;
  methods: Verdict[];
  /** The same methods in variants that tactus runs. */
  deployable?: Verdict[];
}

export interface Headline {
  state: "runs here" | "needs" | "not proved" | "undecided";
  text: string;
  not_covered: string[];
}

/** Does what is started cover the proof? */
export interface Cover {
  tier: string;
  conditions: Condition[];
}

export interface Condition {
  id: string;
  holds: "yes" | "no" | "not known";
  what: string;
  from: string;
  help: string;
}

export interface Verdict {
  method: string;
  variant: string;
  status: Status;
  reason?: string;
  obstacles?: { reason: string }[];
  warnings: string[];
  notes: string[];
  tasks: TaskVerdict[];
  /** Of the file, in its order; nothing where it has none. */
  chains?: ChainVerdict[];
  plan?: Plan;
}

export interface ChainVerdict {
  name: string;
  bound: number | null;
  holds: boolean;
  /** They add up to the bound; documents of earlier versions have none. */
  parts?: { tasks: string[]; waits: number; takes: number }[];
}

export interface TaskVerdict {
  task: string;
  bound: number | null;
  deadline: number | null;
  schedulable: boolean;
  demand?: number | null;
  note?: string;
  terms: Record<string, number>;
}

/** The terms of one bound, with how each was counted. */
export interface Explanation {
  method: string;
  task: string;
  terms: { term: string; amount: number; how: string }[];
}

export interface Plan {
  system: string;
  method: string;
  variant: string;
  fingerprint: string;
  [field: string]: unknown;
}

export interface Slack {
  system: string;
  method: string;
  variant: string;
  status: Status;
  slack: Knob[];
}

export interface Knob {
  of: string;
  kind: string;
  now: number;
  holds: number | null;
  fails: number | null;
  exact?: boolean;
  breaks?: { status: string; task?: string; chain?: string };
}

export interface Sweep {
  system: string;
  method: string;
  variant: string;
  of: string;
  points: { value: number; status: Status; bounds: Record<string, number | null> }[];
}

export interface Advice {
  system: string;
  found: boolean;
  conclusion: string;
  options: AdviceOption[];
}

export interface AdviceOption {
  method: string;
  variant: string;
  proved: boolean;
  factor: number | null;
  limited_by?: string;
  needs?: string;
  cores?: number;
  sms?: number;
  to_change?: Record<string, { from: unknown; to: unknown }>;
}

export interface Summary {
  count: number;
  min: number;
  mean: number;
  p50: number;
  p99: number;
  max: number;
}

export interface Observed {
  system: string;
  producer: string;
  method: string;
  variant: string;
  scenario?: string;
  end?: number;
  good: boolean;
  tasks: {
    task: string;
    jobs: number;
    response: Summary;
    longest_covered?: number;
    bound: number | null;
    deadline: number | null;
    misses: number;
    disturbed?: number;
  }[];
  notes?: string[];
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
