import assert from "node:assert/strict";
import test from "node:test";
import { stack, whoseTerm } from "../../src/bars";
import { answerOf, slackOf } from "../../src/judge";
import { groupsOf } from "../../src/matrix";
import type {
  Analysis,
  Knob,
  Slack,
  System,
  SystemEntry,
  TaskVerdict,
  Verdict,
} from "../../src/model";
import { room } from "../../src/slack";

function task(name: string, bound: number | null, deadline: number | null): TaskVerdict {
  const schedulable = bound !== null && deadline !== null && bound <= deadline;
  return { task: name, bound, deadline, schedulable, terms: {} };
}

function verdict(method: string, status: Verdict["status"], tasks: TaskVerdict[]): Verdict {
  return { method, variant: "safe", status, warnings: [], notes: [], tasks };
}

function entry(methods: Verdict[], slack?: Slack): SystemEntry {
  const system: System = {
    tactus: 1,
    name: "s",
    time_unit: "ms",
    platform: { elements: [] },
    tasks: [],
  };
  const analysis: Analysis = {
    tactus: 1,
    kind: "verdict",
    system: "s",
    time_unit: "ms",
    judged_by: "any",
    status: "schedulable",
    headline: { state: "undecided", text: "", not_covered: [] },
    best: null,
    measured: [],
    methods,
    standings: [],
  };
  return { file: "f", system, analysis, explanations: [], ...(slack ? { slack } : {}) };
}

const best = { runs_here: true, run_by: null };

const two = [
  verdict("first", "schedulable", [task("a", 5, 10), task("b", 9, 10)]),
  verdict("second", "schedulable", [task("a", 9, 10), task("b", 1, 10)]),
  verdict("third", "not-applicable", []),
];

test("a chain limits where it has less room than every task", () => {
  const chained = entry([
    {
      ...verdict("first", "schedulable", [task("a", 5, 10)]),
      chains: [{ name: "see-steer", bound: 170, holds: true, parts: [] }],
    },
  ]);
  chained.system.chains = [{ name: "see-steer", tasks: ["a"], reaction: 180, age: 200 }];
  assert.deepEqual(answerOf(chained, []).limiting, {
    kind: "chain",
    name: "see-steer",
    slack: (180 - 170) / 180,
  });
});

test("the first proof counts where nothing says better, and its tightest task limits", () => {
  const answer = answerOf(entry(two), []);
  assert.equal(answer.chosen?.method, "first");
  assert.equal(answer.limiting?.name, "b");
  assert.deepEqual([answer.proofs, answer.applicable], [2, 2]);
});

test("what the file deploys counts before everything else", () => {
  const given = entry(two);
  given.analysis.deployed = { method: "second", variant: "safe" };
  assert.equal(answerOf(given, []).chosen?.method, "second");
});

test("what analyze calls the best counts, in the variant that it names", () => {
  const given = entry(two);
  given.analysis.best = { ...best, method: "second", variant: "safe" };
  assert.equal(answerOf(given, []).chosen?.method, "second");
  const other = { ...verdict("first", "schedulable", []), variant: "safe-arbiter" };
  given.analysis.deployable = [other];
  given.analysis.best = { ...best, method: "first", variant: "safe-arbiter" };
  assert.equal(answerOf(given, []).chosen, other);
});

test("with slack, its method is chosen and the task that breaks first limits", () => {
  const knob: Knob = {
    of: "all times",
    kind: "all-times",
    exact: true,
    now: 1,
    holds: 1.02,
    fails: 1.021,
    breaks: { status: "unschedulable", task: "b" },
  };
  const slack: Slack = {
    tactus: 1,
    kind: "slack",
    system: "s",
    method: "second",
    variant: "safe",
    status: "schedulable",
    slack: [knob],
    notes: [],
    left_out: [],
    analyses: 1,
    stopped: false,
  };
  const answer = answerOf(entry(two, slack), []);
  assert.equal(answer.chosen?.method, "second");
  assert.equal(answer.limiting?.name, "b");
  assert.equal(answer.growth, 1.02);
  assert.ok(Math.abs((room(knob) ?? 0) - 0.02) < 1e-9);
});

test("a deadline that is not proved limits, bound or not", () => {
  const answer = answerOf(
    entry([verdict("only", "unschedulable", [task("a", 9, 10), task("b", null, 10)])]),
    [],
  );
  assert.equal(answer.limiting?.name, "b");
  assert.equal(slackOf(task("b", null, 10)), null);
});

test("terms are stacked in their order, and what they do not explain is shown too", () => {
  const given: TaskVerdict = {
    ...task("a", 10, 20),
    terms: { "own CPU work": 3, "GPU preemption by b": 4, none: 0 },
  };
  const segments = stack(given, new Set(["a", "b"]));
  assert.deepEqual(
    segments.map((one) => [one.term, one.from, one.amount]),
    [
      ["own CPU work", 0, 3],
      ["GPU preemption by b", 3, 4],
      ["bound", 7, 3],
    ],
  );
});

test("a term has the colour of the task that is worked for", () => {
  const tasks = new Set(["lidar", "camera", "one by one"]);
  assert.equal(whoseTerm("GPU preemption by camera", "lidar", tasks), "camera");
  assert.equal(whoseTerm("GPU preemption by one by one", "lidar", tasks), "one by one");
  assert.equal(whoseTerm("own GPU work", "lidar", tasks), "lidar");
  assert.equal(whoseTerm("blocking by updates", "lidar", tasks), undefined);
});

test("methods are grouped as on the command line, and two that say the same are one line", () => {
  const lines = [
    verdict("gcaps.busy", "schedulable", [task("a", 5, 10)]),
    verdict("gcaps.busy.prio", "schedulable", [task("a", 5, 10)]),
    verdict("gcaps.suspend", "schedulable", [task("a", 4, 10)]),
    verdict("gcaps.suspend.prio", "schedulable", [task("a", 3, 10)]),
    verdict("mpcp.busy", "unschedulable", [task("a", null, 10)]),
  ];
  const analysis: Analysis = {
    ...entry(lines).analysis,
    standings: lines.map(({ method, variant, status }) => ({
      method,
      variant,
      group: status === "schedulable" ? ("runs here" as const) : ("not proved" as const),
      run_by: null,
    })),
  };
  assert.deepEqual(
    groupsOf(analysis).map(({ title, lines }) => [title, lines.map(({ label }) => label)]),
    [
      ["Proved, and run here", ["gcaps.busy[.prio]", "gcaps.suspend", "gcaps.suspend.prio"]],
      ["Not proved", ["mpcp.busy"]],
    ],
  );
});
