/**
 * The values of chains, followed back through a trace: a job reads, when it begins, what the task
 * before it wrote last, and writes at its end.
 */
import { number, time } from "../format";
import type { Chain } from "../model";
import type { GanttModel } from "./model";

/** An output, and the jobs that its value went through. */
export interface Origin {
  chain: string;
  /** Slices: the job that wrote it, the one before, ..., the one that read from outside. */
  path: number[];
  read: number;
  written: number;
}

/** A value on its way between two rows. */
export interface Passed {
  writer: number;
  written: number;
  reader: number;
  read: number;
}

export class Values {
  /** When the work of a job began, by task and job. */
  private readonly begun = new Map<string, number>();
  /** The jobs of a task, by their ends. */
  private readonly jobs = new Map<string, number[]>();
  private readonly rows: Uint32Array;

  constructor(
    private readonly model: GanttModel,
    private readonly chains: Chain[],
  ) {
    this.rows = new Uint32Array(model.start.length);
    if (chains.length === 0) return;
    model.rows.forEach((row, r) => {
      for (let i = model.first[r] ?? 0; i < (model.first[r + 1] ?? 0); ++i) {
        this.rows[i] = r;
        if (row.jobs) this.keepJob(i);
        else this.keepWork(i);
      }
    });
    for (const all of this.jobs.values()) all.sort((a, b) => this.endOf(a) - this.endOf(b));
  }

  private keepJob(i: number): void {
    if (!this.wrote(i)) return;
    const task = this.taskOf(i);
    const known = this.jobs.get(task);
    if (known) known.push(i);
    else this.jobs.set(task, [i]);
  }

  private wrote(i: number): boolean {
    const { rows, kinds, kind } = this.model;
    return rows[this.rows[i] ?? 0]?.jobs === true && kinds[kind[i] ?? 0] !== "unfinished";
  }

  private keepWork(i: number): void {
    const key = this.keyOf(i);
    const start = this.model.start[i] ?? 0;
    this.begun.set(key, Math.min(start, this.begun.get(key) ?? start));
  }

  private taskOf(i: number): string {
    return this.model.owners[this.model.owner[i] ?? 0] ?? "";
  }

  private keyOf(i: number): string {
    return `${this.model.job[i] ?? -1} ${this.taskOf(i)}`;
  }

  private endOf(i: number): number {
    return this.model.end[i] ?? 0;
  }

  /** When a job read: when its work began. */
  readOf(i: number): number {
    const release = (this.model.start[i] ?? 0) + (this.model.late[i] ?? 0);
    return this.begun.get(this.keyOf(i)) ?? release;
  }

  /** The job of a task whose value a job read: the last that had ended. */
  private readBy(i: number, task: string): number | undefined {
    const until = this.readOf(i) + this.model.instant;
    const all = this.jobs.get(task) ?? [];
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.endOf(all[middle] ?? 0) <= until) low = middle + 1;
      else high = middle;
    }
    return all[low - 1];
  }

  /** Where the output of a job came from, along each chain whose first task is another one. */
  of(i: number): Origin[] {
    const task = this.taskOf(i);
    if (this.chains.length === 0 || !this.wrote(i)) return [];
    return this.chains.flatMap(({ name, tasks }) => {
      const path = [i];
      let at = i;
      const place = tasks.indexOf(task);
      for (let k = place - 1; k >= 0; --k) {
        const before = this.readBy(at, tasks[k] ?? "");
        if (before === undefined) return [];
        path.push(before);
        at = before;
      }
      if (place < 1) return [];
      return [{ chain: name, path, read: this.readOf(at), written: this.endOf(i) }];
    });
  }

  /** In words. */
  told({ chain, path, read, written }: Origin): string {
    const { unit, job } = this.model;
    const jobs = path.map((i) => `${this.taskOf(i)} #${number(job[i])}`).reverse();
    const age = time(written - read, unit);
    return `${chain}: ${jobs.join(" → ")}, read at ${time(read, unit)}, written at ${time(written, unit)}: ${age} old`;
  }

  /** The lines between its jobs. */
  passed({ path }: Origin): Passed[] {
    return path.slice(1).map((writer, k) => {
      const reader = path[k] ?? 0;
      return {
        writer: this.rows[writer] ?? 0,
        written: this.endOf(writer),
        reader: this.rows[reader] ?? 0,
        read: this.readOf(reader),
      };
    });
  }
}
