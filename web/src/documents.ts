// Made by tools/web-types from `tactus schema`; a test compares.

export interface System {
  tactus: 1; name?: string; note?: string; time_unit?: "ns" | "us" | "ms" | "s" | "unit";
  platform: { elements: Element[]; }; tasks: Task[]; interference?: { model?: "table" | "slowdown"
  | "none"; factor?: number; }; batches?: ({ tasks: string[]; completion?: number; ordered?:
  boolean; forbid?: boolean; })[]; chains?: Chain[]; deploy?: { method: string; variant?: string;
  };
}

export interface Element {
  name: string; kind: "cpu" | "copy" | "gpu"; units: number; lanes?: number; sm?: { threads?:
  number; blocks?: number; registers?: number; shared_memory?: number; }; t_min?: number;
  time_slice?: number; context_switch?: number; runlist_update?: number; preemption_delay?:
  number; preempt_cost?: number; resume_cost?: number; start_cost?: number; arbiter_core?: number;
  sharing?: "exclusive" | "shared";
}

export interface Task {
  name: string; period?: number; deadline?: number; offset?: number; jitter?: number; after?:
  string; priority?: number; gpu_priority?: number; core?: number; wait?: "suspend" | "busy";
  best_effort?: boolean; command?: { argv: string[]; cwd?: string; env?: Record<string, string>;
  user?: string; }; nodes: GraphNode[]; edges?: ([string, string])[];
}

export interface GraphNode {
  name: string; on: string; wcet?: number; bcet?: number; times?: ({ units: number; wcet: number;
  bcet?: number; })[]; parallelism?: number; load?: number; load_min?: number; overhead?: number;
  interleave?: number; slowdown?: number; launch?: number; overlap?: number; blocks?: number;
  threads?: number; registers?: number; shared_memory?: number; gpu_threshold?: number; measured?:
  { runs?: number; alone?: number; worst?: number; enemy?: string; margin?: number; on?: string;
  date?: string; };
}

export interface Chain {
  name: string; tasks: string[]; reaction?: number; age?: number; phases?: "any" | "fixed";
}

export interface Analysis {
  tactus: 1; kind: "verdict"; system: string; changes?: ({ set?: string; add?: string; from?:
  unknown; to?: unknown; tasks?: unknown; })[]; time_unit: "ns" | "us" | "ms" | "s" | "unit";
  judged_by: "named" | "any" | "deployed"; deployed?: { method: string; variant: string; };
  status: "schedulable" | "unschedulable" | "undecided" | "not-applicable"; headline: Headline;
  best: { method: string; variant: string; runs_here: boolean; run_by: "tactusd" | "lock" |
  "driver" | "partitions" | "table" | null; why_not?: string; cover?: Cover; never_run?: ({ task:
  string; why: string; })[]; least_slack?: number; limited_by?: string; may_grow?: ({ task:
  string; node: string; by: number; then_late?: string; })[]; } | null; min_slack?: { asked:
  string; below: ({ method: string; variant: string; task: string; why: string; })[]; };
  baseline?: { file: string; worse: boolean; differences: ({ change: "worse" | "better" | "new" |
  "gone"; method?: string; variant?: string; task?: string; what?: "verdict" | "bound" | "slack";
  was?: string | number; now?: string | number; counts: boolean; })[]; }; measured: ({ task:
  string; node: string; measured: { runs?: number; alone?: number; worst?: number; enemy?: string;
  margin?: number; on?: string; date?: string; }; })[]; methods: Verdict[]; deployable?:
  Verdict[]; standings: ({ method: string; variant: string; group: "runs here" | "not run here" |
  "not proved" | "undecided" | "not applicable"; run_by: "tactusd" | "lock" | "driver" |
  "partitions" | "table" | null; })[];
}

export interface Headline {
  state: "runs here" | "needs" | "not proved" | "undecided"; text: string; needs?: string; now?:
  string; not_covered: string[];
}

export interface Cover {
  tier: "channel" | "yield" | "gate" | "process" | "hold"; covered: "yes" | "no" | "not known";
  conditions: Condition[];
}

export interface Condition {
  id: string; holds: "yes" | "no" | "not known"; what: string; from: string; help: string; whose:
  "start" | "machine" | "program";
}

export interface Verdict {
  method: string; variant: string; status: "schedulable" | "unschedulable" | "undecided" |
  "not-applicable"; reason?: string; at?: { line: number; column: number; }; obstacles?: ({
  reason: string; at?: { line: number; column: number; }; give?: string[]; element?: string;
  task?: string; node?: string; })[]; more_obstacles?: number; warnings: string[]; notes:
  string[]; tasks: TaskVerdict[]; chains?: ChainVerdict[]; missed?: ({ task: string; job: number;
  deadline: number; finish: number; })[]; plan?: Plan;
}

export interface TaskVerdict {
  task: string; bound: number | null; deadline: number | null; schedulable: boolean; latency?:
  number; conditional_bound?: number; demand?: number; note?: string; terms: Record<string,
  number>;
}

export interface ChainVerdict {
  name: string; bound: number | null; holds: boolean; parts: ({ tasks: string[]; waits: number;
  takes: number; })[];
}

export interface Plan {
  tactus: 1; kind: "plan"; system: string; fingerprint: string; method: string; variant: string;
  [field: string]: unknown;
}

export interface Slack {
  tactus: 1; kind: "slack"; system: string; changes?: ({ set?: string; add?: string; from?:
  unknown; to?: unknown; tasks?: unknown; })[]; method: string; variant: string; status:
  "schedulable" | "unschedulable" | "undecided" | "not-applicable"; reason?: string; slack:
  Knob[]; chains?: ChainVerdict[]; notes: string[]; left_out: string[]; analyses: number; stopped:
  boolean;
}

export interface Knob {
  of: string; kind: "all-times" | "time" | "period" | "deadline" | "jitter" | "units" | "cost" |
  "longer-period"; now: number | null; holds: number | null; fails: number | null; exact: boolean;
  breaks?: { status: "schedulable" | "unschedulable" | "undecided" | "not-applicable"; task?:
  string; chain?: string; reason?: string; };
}

export interface Sweep {
  tactus: 1; kind: "sweep"; system: string; changes?: ({ set?: string; add?: string; from?:
  unknown; to?: unknown; tasks?: unknown; })[]; method: string; variant: string; of: string;
  points: ({ value: number; status: "schedulable" | "unschedulable" | "undecided" |
  "not-applicable"; bounds: Record<string, number | null>; })[];
}

export interface Advice {
  tactus: 1; kind: "advice"; system: string; changes?: ({ set?: string; add?: string; from?:
  unknown; to?: unknown; tasks?: unknown; })[]; found: boolean; conclusion: string; options:
  AdviceOption[]; left_out: ({ method: string; why: string; })[]; would_do?: ({ change: string;
  from: number; to: number; method: string; })[]; would_do_cut_short?: boolean;
  one_more_core_would_do?: boolean; one_more_sm_would_do?: boolean; exhaustive: boolean; analyses:
  number; stopped: boolean;
}

export interface AdviceOption {
  method: string; variant: string; proved: boolean; factor: number; exact: boolean; limited_by?:
  string; run_by: "tactusd" | "lock" | "driver" | "partitions" | "table"; needs: string; cover?:
  Cover; never_run?: ({ task: string; why: string; })[]; cores: number; sms: number; shares?:
  string; arbiter_core?: number; to_change: Record<string, { from: unknown; to: unknown; }>;
  system?: System; plan?: Plan;
}

export interface Observed {
  tactus: 1; kind: "observed"; system: string; producer: "simulator" | "executor" | "processes";
  method: string; variant: string; scenario?: string; seed?: number; machine?: { name: string;
  sms?: number; partition_step?: number; features: string[]; }; end: number; cut_short?: string;
  outside_model?: boolean; good: boolean; tasks: ({ task: string; jobs: number; response: Summary;
  longest: number; longest_covered: number; bound: number | null; deadline: number | null; misses:
  number; disturbed: number; late?: Summary; releases?: { latest: number; late: number; early:
  number; lost: number; doubled: number; }; process?: { tier?: string; real_time: boolean;
  segments: number; unarbitrated: number; shared: number; wrong_results: number; resumed: number;
  begin: Summary; worst: { job: number; response: number; late: number; cpu: number; begin:
  number; launch: number; gpu: number; end: number; }; }; })[]; chains?: ({ chain: string;
  outputs: number; reaction: number; age: number; disturbed: number; bound: number | null; })[];
  nodes?: ({ task: string; node: string; on: string; runs: number; mean: number; max: number;
  bound: number | null; over: number; asked: number; narrowest: number; widest: number; })[];
  shares?: ({ task: string; on: string; asked: number; got: number; })[]; batches?: { played:
  number; late: Summary; overrun: number; overruns: ({ frame: number; at: number; expected:
  number; took: number; stalled: number; })[]; late_by_host: { missed: number; over_bound: number;
  }; late_by_batches: { missed: number; over_bound: number; }; late_jobs: ({ task: string; job:
  number; release: number; response: number; on_time: number; missed: boolean; cause: "host" |
  "batches"; })[]; }; sharing?: { mode: string; tier?: string; wait: string; fill: number;
  gpu_item: number; updates?: { count: number; mean: number; max: number; take_off_max: number;
  put_back_max: number; }; operations?: { start: { count: number; mean: number; max: number; };
  off: { count: number; mean: number; max: number; }; on: { count: number; mean: number; max:
  number; }; late_max: number; forced: number; }; }; utilisation?: Record<string, number>;
  events?: number; notes: string[]; failed: number; failures: string[];
}

export interface Summary {
  count: number; min: number; mean: number; deviation: number; p50: number; p99: number; max:
  number;
}
