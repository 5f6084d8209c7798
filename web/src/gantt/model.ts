/**
 * What a Gantt chart shows, in columns: slices sorted by row and start, so that a part of them is
 * found by bisection, and summed up, so that the share of a pixel in which a row was busy costs two
 * look-ups however many slices lie in it.
 */
import type { Plan, System, Trace } from "../model";
import { arranged } from "./rows";

export interface Row {
  group: string;
  name: string;
  /** Rows of jobs show arrivals and deadlines. */
  jobs: boolean;
  /** The deadline of the jobs in it, in the unit of the model; 0: none. */
  deadline: number;
  bound: number;
}

export interface GanttModel {
  unit: string;
  rows: Row[];
  names: string[];
  /** What a slice is coloured by: its task. */
  owners: string[];
  /** Slices of row r are first[r] up to first[r + 1]. */
  first: Uint32Array;
  start: Float64Array;
  end: Float64Array;
  /** Of a job: from its arrival, which is its start, to its release. */
  late: Float64Array;
  name: Uint32Array;
  owner: Uint32Array;
  job: Int32Array;
  width: Int32Array;
  missed: Uint8Array;
  /** Busy time of the row before each slice, within the row. */
  busy: Float64Array;
  kind: Uint8Array;
  kinds: string[];
  begin: number;
  stop: number;
  /** Times that differ by less are the same instant. */
  instant: number;
}

export interface Slice {
  row: number;
  name: string;
  owner: string;
  start: number;
  end: number;
  late?: number;
  job?: number;
  width?: number;
  missed?: boolean;
  kind?: string;
}

class Names {
  readonly all: string[] = [];
  private readonly places = new Map<string, number>();

  place(name: string): number {
    const found = this.places.get(name);
    if (found !== undefined) return found;
    this.places.set(name, this.all.length);
    return this.all.push(name) - 1;
  }
}

export function makeModel(unit: string, rows: Row[], slices: Slice[], instant = 0): GanttModel {
  const sorted = [...slices].sort((a, b) => a.row - b.row || a.start - b.start);
  const count = sorted.length;
  const names = new Names();
  const owners = new Names();
  const kinds = new Names();
  const model: GanttModel = {
    unit,
    rows,
    names: names.all,
    owners: owners.all,
    first: new Uint32Array(rows.length + 1),
    start: new Float64Array(count),
    end: new Float64Array(count),
    late: new Float64Array(count),
    name: new Uint32Array(count),
    owner: new Uint32Array(count),
    job: new Int32Array(count),
    width: new Int32Array(count),
    missed: new Uint8Array(count),
    busy: new Float64Array(count + 1),
    kind: new Uint8Array(count),
    kinds: kinds.all,
    begin: 0,
    stop: 0,
    instant,
  };
  let total = 0;
  sorted.forEach((slice, i) => {
    if (i === 0 || sorted[i - 1]?.row !== slice.row) total = 0;
    model.start[i] = slice.start;
    model.end[i] = slice.end;
    model.late[i] = slice.late ?? 0;
    model.name[i] = names.place(slice.name);
    model.owner[i] = owners.place(slice.owner);
    model.job[i] = slice.job ?? -1;
    model.width[i] = slice.width ?? 1;
    model.missed[i] = slice.missed === true ? 1 : 0;
    model.kind[i] = kinds.place(slice.kind ?? "run");
    model.busy[i] = total;
    total += slice.end - slice.start;
    model.first[slice.row + 1] = i + 1;
    model.begin = i === 0 ? slice.start : Math.min(model.begin, slice.start);
    model.stop = Math.max(model.stop, slice.end);
  });
  for (let row = 1; row <= rows.length; ++row) {
    model.first[row] = Math.max(model.first[row] ?? 0, model.first[row - 1] ?? 0);
  }
  if (!(model.stop > model.begin)) model.stop = model.begin + 1;
  return model;
}

/** The first slice of a row that ends after `time`; the end of the row where there is none. */
export function firstAfter(model: GanttModel, row: number, time: number): number {
  let low = model.first[row] ?? 0;
  let high = model.first[row + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((model.end[middle] ?? 0) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The same, for a time that is soon after slice `near`: steps that double, then bisection. */
export function firstAfterNear(model: GanttModel, row: number, near: number, time: number): number {
  const last = model.first[row + 1] ?? 0;
  let low = near;
  for (let step = 1; low < last && (model.end[low] ?? 0) <= time; step *= 2) {
    const next = Math.min(last, low + step);
    if (next === last || (model.end[next] ?? 0) > time) {
      let high = next;
      ++low; // its end is not after `time`
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((model.end[middle] ?? 0) > time) high = middle;
        else low = middle + 1;
      }
      return low;
    }
    low = next;
  }
  return low;
}

/**
 * The share of a span in which the row was busy, where it is known between which slices it lies: the
 * first that ends after `from`, and the first that ends after `to`.
 */
export function busyShareBetween(
  model: GanttModel,
  row: number,
  [first, from]: [number, number],
  [next, to]: [number, number],
): number {
  const share = (busyAt(model, row, next, to) - busyAt(model, row, first, from)) / (to - from);
  return Math.max(0, Math.min(1, share));
}

/** How long a row was busy up to `time`, which lies before the end of slice `at` and after the others. */
function busyAt(model: GanttModel, row: number, at: number, time: number): number {
  const last = model.first[row + 1] ?? 0;
  if (at < last) return (model.busy[at] ?? 0) + Math.max(0, time - (model.start[at] ?? 0));
  if (last === (model.first[row] ?? 0)) return 0;
  return (model.busy[last - 1] ?? 0) + (model.end[last - 1] ?? 0) - (model.start[last - 1] ?? 0);
}

/** How long a row was busy up to `time`. Slices of a row do not overlap. */
function busyUntil(model: GanttModel, row: number, time: number): number {
  return busyAt(model, row, firstAfter(model, row, time), time);
}

/** The share of a span in which the row was busy. */
export function busyShare(model: GanttModel, row: number, from: number, to: number): number {
  if (!(to > from)) return 0;
  const share = (busyUntil(model, row, to) - busyUntil(model, row, from)) / (to - from);
  return Math.max(0, Math.min(1, share));
}

/** What was promised for the jobs of a task. */
export interface Promised {
  bound: number | null;
  deadline: number | null;
}

/**
 * A trace. Times become the unit of the system; tasks are found by name, so that the jobs have
 * their deadlines. `promises` are bounds and deadlines of a run report or of an analysis.
 */
export function modelOfTrace(
  trace: Trace,
  system: System | undefined,
  promises: Map<string, Promised>,
  microsecondsPerUnit: number,
): GanttModel {
  const tasks = new Map(system?.tasks.map((task) => [task.name, task]));
  const rows = trace.rows.map(({ group, name }): Row => {
    // "camera (2)" is another row of the same task: jobs that were released before the last ended.
    const plain = name.replace(/ \(\d+\)$/, "");
    const task = tasks.get(name) ?? tasks.get(plain);
    const promise = promises.get(name) ?? promises.get(plain);
    const own = task?.best_effort === true ? 0 : (task?.deadline ?? task?.period ?? 0);
    const jobs = group === "jobs";
    return {
      group,
      name,
      jobs,
      deadline: jobs ? (promise?.deadline ?? own) : 0,
      bound: jobs ? (promise?.bound ?? 0) : 0,
    };
  });
  const slices: Slice[] = [];
  for (let i = 0; i < trace.start.length; ++i) {
    const row = trace.row[i] ?? 0;
    const full = trace.names[trace.name[i] ?? 0] ?? "";
    const kind = trace.kinds[trace.kind[i] ?? 0] ?? "";
    const start = (trace.start[i] ?? 0) / microsecondsPerUnit;
    const inJobs = rows[row]?.jobs === true;
    const rowName = (rows[row]?.name ?? "").replace(/ \(\d+\)$/, "");
    slices.push({
      row,
      name: inJobs ? rowName : full,
      owner: inJobs ? rowName : ownerOf(full, tasks),
      start,
      end: start + (trace.length[i] ?? 0) / microsecondsPerUnit,
      late: (trace.late?.[i] ?? 0) / microsecondsPerUnit,
      job: trace.job[i] ?? -1,
      width: Math.max(1, trace.width[i] ?? 1),
      missed: kind === "missed",
      kind,
    });
  }
  const shown = arranged(rows, slices, system);
  const half = 0.0005 / microsecondsPerUnit; // a trace counts in ns
  return makeModel(system?.time_unit ?? "us", shown.rows, shown.slices, half);
}

/** Slices are called task.node; both may have dots in them. */
function ownerOf(name: string, tasks: Map<string, unknown>): string {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    if (tasks.has(name.slice(0, dot))) return name.slice(0, dot);
  }
  const dot = name.indexOf(".");
  return dot < 0 ? name : name.slice(0, dot);
}

interface Frame {
  start: number;
  end: number;
  batch: { task: string; job: number }[];
}

interface Piece {
  node: string;
  segment: number;
  m: number;
  c: number;
}

interface Step {
  r: number;
  primary: Piece[];
  launched: Piece[];
}

function plainRow(group: string, name: string): Row {
  return { group, name, jobs: false, deadline: 0, bound: 0 };
}

/** Frames of batches: a row for the GPU, and one per task. */
function modelOfFrames(frames: Frame[], unit: string): GanttModel {
  const tasks = [...new Set(frames.flatMap((frame) => frame.batch.map((job) => job.task)))];
  const rows = [plainRow("batches", "all"), ...tasks.map((task) => plainRow("batches", task))];
  const slices: Slice[] = [];
  frames.forEach((frame, i) => {
    const { start, end } = frame;
    const owner = frame.batch.length === 1 ? (frame.batch[0]?.task ?? "") : "batch";
    slices.push({ row: 0, name: `batch ${i + 1}`, owner, start, end, width: frame.batch.length });
    for (const { task, job } of frame.batch) {
      slices.push({ row: 1 + tasks.indexOf(task), name: task, owner: task, start, end, job });
    }
  });
  return makeModel(unit, rows, slices);
}

/** Steps of a graph: a row per SM; what a step launches may still run in the next ones. */
function modelOfSteps(steps: Step[], unit: string): GanttModel {
  const free: number[] = [];
  const slices: Slice[] = [];
  let from = 0;
  for (const step of steps) {
    for (const piece of [...step.primary, ...step.launched]) {
      for (let left = piece.m; left > 0; --left) {
        let row = free.findIndex((until) => until <= from + 1e-9);
        if (row < 0) row = free.push(0) - 1;
        free[row] = from + piece.c;
        const name = piece.segment > 1 ? `${piece.node}, segment ${piece.segment}` : piece.node;
        slices.push({ row, name, owner: piece.node, start: from, end: from + piece.c });
      }
    }
    from += step.r;
  }
  return makeModel(
    unit,
    free.map((_, i) => plainRow("SMs", `SM ${i + 1}`)),
    slices,
  );
}

/** The Gantt chart of a plan; null where the plan says nothing about time. */
export function modelOfPlan(plan: Plan, unit: string): GanttModel | null {
  if (Array.isArray(plan.frames) && plan.frames.length > 0)
    return modelOfFrames(plan.frames as Frame[], unit);
  if (Array.isArray(plan.steps) && plan.steps.length > 0)
    return modelOfSteps(plan.steps as Step[], unit);
  return null;
}
