import assert from "node:assert/strict";
import test from "node:test";
import {
  busyShare,
  busyShareBetween,
  firstAfter,
  firstAfterNear,
  makeModel,
  modelOfPlan,
  modelOfTrace,
  type Row,
  type Slice,
} from "../../src/gantt/model";
import { arranged } from "../../src/gantt/rows";
import { Values } from "../../src/gantt/values";
import { clamped, moved, opening, whole, zoomed } from "../../src/gantt/viewport";
import type { Element, System, Trace } from "../../src/model";
import { responsesOf } from "../../src/responses";

const row: Row = { group: "cpu", name: "cpu 1", jobs: false, deadline: 0, bound: 0 };

/** A generator of numbers that are the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 1103515245 + 12345) % 2147483648;
    yield state / 2147483648;
  }
}

test("busy shares and bisection agree with looking at every slice", () => {
  const random = numbers(7);
  const next = (): number => random.next().value as number;
  for (let round = 0; round < 50; ++round) {
    const slices: Slice[] = [];
    let at = 0;
    for (let i = 0; i < 30; ++i) {
      const start = at + next();
      at = start + next();
      slices.push({ row: i % 2 === 0 ? 0 : 1, name: "x", owner: "x", start, end: at });
    }
    const model = makeModel("ms", [row, row], slices);
    for (let probe = 0; probe < 20; ++probe) {
      const from = next() * at;
      const to = from + next() * 5;
      for (const r of [0, 1]) {
        const own = slices.filter((slice) => slice.row === r);
        const busy = own.reduce(
          (sum, s) => sum + Math.max(0, Math.min(s.end, to) - Math.max(s.start, from)),
          0,
        );
        assert.ok(Math.abs(busyShare(model, r, from, to) - busy / (to - from)) < 1e-9);
        const first = own.findIndex((slice) => slice.end > from);
        const expected = (model.first[r] ?? 0) + (first < 0 ? own.length : first);
        assert.equal(firstAfter(model, r, from), expected);
        const start = model.first[r] ?? 0;
        for (let near = start; near <= expected; ++near)
          assert.equal(firstAfterNear(model, r, near, from), expected);
        const next = firstAfter(model, r, to);
        assert.equal(
          busyShareBetween(model, r, [expected, from], [next, to]),
          busyShare(model, r, from, to),
        );
      }
    }
  }
});

test("zooming keeps the time under the pointer, and never leaves what there is", () => {
  const extent = { begin: 0, stop: 100 };
  const near = zoomed(whole(extent), extent, 0.1, 30);
  assert.ok(Math.abs(near.to - near.from - 10) < 1e-9);
  assert.ok(Math.abs((30 - near.from) / (near.to - near.from) - 0.3) < 1e-9);
  assert.deepEqual(moved(near, extent, 1e9).to, 100);
  assert.deepEqual(clamped({ from: -50, to: 500 }, extent), whole(extent));
  let view = whole(extent);
  for (let i = 0; i < 200; ++i) view = zoomed(view, extent, 0.5, 30);
  assert.ok(view.to > view.from);
});

test("a chart opens with a job of the slowest task, but never with too many of another", () => {
  const jobs = (name: string): Row => ({ ...row, group: "jobs", name, jobs: true });
  const every = (r: number, period: number, count: number): Slice[] =>
    Array.from({ length: count }, (_, k) => {
      const start = k * period;
      return { row: r, name: "x", owner: "x", start, end: start + 1 };
    });
  const rows = [row, jobs("slow"), jobs("fast")];
  const both = makeModel("ms", rows, [...every(1, 200, 20), ...every(2, 5, 800)]);
  assert.equal(opening(both).to, 200 * 1.1);
  const noise = makeModel("ms", rows, [...every(1, 1000, 20), ...every(2, 2, 10000)]);
  assert.equal(opening(noise).to, 2 * 60);
  const one = makeModel("ms", [row], every(0, 5, 3));
  assert.deepEqual(opening(one), whole(one));
});

const system: System = {
  tactus: 1,
  name: "s",
  time_unit: "ms",
  platform: { elements: [] },
  tasks: [
    { name: "a.b", period: 10, deadline: 8, nodes: [] },
    { name: "a", period: 10, nodes: [] },
  ],
};

const trace: Trace = {
  rows: [
    { group: "cpu", name: "cpu 1" },
    { group: "jobs", name: "a.b" },
    { group: "jobs", name: "a.b (2)" },
  ],
  names: ["a.b.node", "job"],
  kinds: ["run", "job", "missed"],
  row: [0, 1, 2],
  name: [0, 1, 1],
  kind: [0, 1, 2],
  start: [0, 0, 5000],
  length: [3000, 3000, 9000],
  job: [0, 0, 1],
  width: [1, -1, -1],
};

test("a trace has the unit, the tasks and the deadlines of its system", () => {
  const model = modelOfTrace(trace, system, new Map([["a.b", { bound: 7, deadline: 8 }]]), 1000);
  assert.equal(model.end[0], 3);
  assert.equal(model.rows[1]?.deadline, 8);
  assert.equal(model.rows[2]?.bound, 7);
  assert.deepEqual([...model.missed], [0, 0, 1]);
  const [responses] = responsesOf(model);
  assert.equal(responses?.task, "a.b");
  assert.deepEqual(responses.times, [3, 9]);
  assert.equal(responses.misses, 1);
});

test("a name with dots belongs to the task that exists", () => {
  const model = modelOfTrace(trace, system, new Map(), 1000);
  // "a.b.node": the shortest task that fits is "a".
  assert.equal(model.owners[model.owner[0] ?? 0], "a");
});

const gpu: Element = { name: "gpu", kind: "gpu", units: 4 };

function rowsOf(elements: System["platform"]["elements"], slices: [string, number][]): string[] {
  const names = [...new Set(slices.map(([name]) => name))];
  const rows = names.map((name) => ({ ...row, group: "gpu", name }));
  const made = slices.map(([name, width], i) => ({
    row: names.indexOf(name),
    name: "t.k",
    owner: "t",
    start: i,
    end: i + 1,
    job: Math.floor(i / 2),
    width,
  }));
  const out = arranged(rows, made, { ...system, platform: { elements } });
  return out.rows.map(
    (one, r) => `${one.name}: ${out.slices.filter((slice) => slice.row === r).length}`,
  );
}

test("a GPU that one task has as a whole is one row", () => {
  assert.deepEqual(
    rowsOf(
      [gpu],
      [
        ["gpu 1", 4],
        ["gpu 1", 4],
        ["gpu 1", 4],
      ],
    ),
    ["gpu, all 4 SMs: 3"],
  );
});

test("SMs that always go together are one row, a partition", () => {
  assert.deepEqual(
    rowsOf(
      [gpu],
      [
        ["gpu 1", 3],
        ["gpu 4", 1],
        ["gpu 1", 3],
      ],
    ),
    ["gpu 1–3: 2", "gpu 4: 1"],
  );
});

test("kernels of several widths are drawn on each of their SMs", () => {
  assert.deepEqual(
    rowsOf(
      [gpu],
      [
        ["gpu 1", 3],
        ["gpu 1", 1],
        ["gpu 4", 1],
      ],
    ),
    ["gpu 1: 2", "gpu 2: 1", "gpu 3: 1", "gpu 4: 1"],
  );
});

test("rows of lanes, and of what is no GPU, stay as they are", () => {
  assert.deepEqual(rowsOf([{ ...gpu, lanes: 8 }], [["gpu 1", 4]]), ["gpu 1: 1"]);
  assert.deepEqual(rowsOf([], [["gpu 1", 4]]), ["gpu 1: 1"]);
});

test("the frames of a table and the steps of a graph are drawn in time", () => {
  const head = {
    tactus: 1,
    kind: "plan",
    system: "s",
    method: "m",
    variant: "safe",
    fingerprint: "0",
  } as const;
  const frames = modelOfPlan(
    {
      ...head,
      frames: [
        {
          start: 0,
          end: 4,
          batch: [
            { task: "x", job: 0 },
            { task: "y", job: 0 },
          ],
        },
      ],
    },
    "ms",
  );
  assert.deepEqual(
    frames?.rows.map((one) => one.name),
    ["all", "x", "y"],
  );
  const piece = (node: string, m: number, c: number): object => ({ node, segment: 1, m, c });
  const steps = modelOfPlan(
    {
      ...head,
      steps: [
        { r: 1, primary: [piece("v1", 3, 1)], launched: [piece("v2", 1, 2)] },
        { r: 1, primary: [piece("v3", 3, 1)], launched: [] },
      ],
    },
    "unit",
  );
  assert.equal(steps?.rows.length, 4); // v2 keeps its SM in the second step
  assert.equal(steps.stop, 2);
  assert.equal(modelOfPlan({ ...head, cores: { x: 1 } }, "ms"), null);
});

test("an output is followed back to when its value was read, over jobs released late", () => {
  // camera reads at 0 and 10, detect is late by 2, motor reads each time what was written last.
  const trace: Trace = {
    rows: [
      { group: "cpu", name: "cpu 1" },
      { group: "jobs", name: "camera" },
      { group: "jobs", name: "detect" },
      { group: "jobs", name: "motor" },
    ],
    names: ["camera.n", "detect.n", "motor.n", "job"],
    kinds: ["run", "job", "unfinished"],
    row: [0, 1, 0, 2, 0, 3, 0, 1, 0, 3, 2],
    name: [0, 3, 1, 3, 2, 3, 0, 3, 2, 3, 3],
    kind: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2],
    start: [0, 0, 5, 3, 9, 9, 10, 10, 12, 12, 13],
    length: [3, 3, 4, 6, 1, 1, 2, 2, 1, 1, 1],
    late: [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0],
    job: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    width: Array<number>(11).fill(1),
  };
  const node = (name: string) => ({ name, nodes: [{ name: "n", on: "cpu" }] });
  const system = {
    name: "robot",
    time_unit: "us",
    platform: { elements: [] },
    tasks: ["camera", "detect", "motor"].map(node),
    chains: [{ name: "see", tasks: ["camera", "detect", "motor"] }],
  } as unknown as System;
  const model = modelOfTrace(trace, system, new Map(), 1);
  const values = new Values(model, system.chains ?? []);
  const job = (task: string, number: number): number =>
    [...model.start.keys()].find(
      (i) =>
        model.owners[model.owner[i] ?? 0] === task &&
        model.job[i] === number &&
        i >= (model.first[1] ?? 0),
    ) ?? -1;
  assert.equal(model.late[job("detect", 0)], 2);
  const [first] = values.of(job("motor", 0));
  assert.ok(first);
  assert.deepEqual(first.path, [job("motor", 0), job("detect", 0), job("camera", 0)]);
  assert.equal(first.read, 0);
  assert.equal(first.written, 10);
  assert.equal(
    values.told(first),
    "see: camera #0 → detect #0 → motor #0, read at 0 us, written at 10 us: 10 us old",
  );
  assert.deepEqual(values.passed(first), [
    { writer: 2, written: 9, reader: 3, read: 9 },
    { writer: 1, written: 3, reader: 2, read: 5 },
  ]);
  assert.equal(values.of(job("motor", 1))[0]?.read, 0, "detect has not read the second image");
  assert.deepEqual(values.of(job("camera", 1)), [], "it reads from outside");
  assert.deepEqual(values.of(job("detect", 1)), [], "it has written nothing yet");
  assert.deepEqual(values.of(0), [], "a node is no output");
});
