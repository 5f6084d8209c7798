/** What the page says first, worked out from the documents. */
import type {
  ChainVerdict,
  Condition,
  MethodInfo,
  Slack,
  Status,
  System,
  SystemEntry,
  TaskVerdict,
  Verdict,
} from "./model";
import { limitOf } from "./pipelines";

export interface Answer {
  status: Status;
  /** In a sentence, as the command line says it. */
  words: string;
  tone: "good" | "bad" | "open";
  /** What no proof of this system covers, in one line; empty where nothing is proved. */
  beyond: string;
  /** What the start owes the proof and does not keep, or what nobody knows yet. */
  conditions: Condition[];
  /** The verdict that counts: of the deployed method, else of the best one, else the first proof. */
  chosen: Verdict | undefined;
  method: MethodInfo | undefined;
  why: string;
  /** The task or chain with the least room, and how much of what it may take. */
  limiting: { kind: "task" | "chain"; name: string; slack: number | null } | undefined;
  /** By which factor all times may grow. */
  growth: number | null;
  assumptions: string[];
  /** How many of the methods that cover the system prove it. */
  proofs: number;
  applicable: number;
}

/** The share of the deadline that is left; null without a bound or without a deadline. */
export function slackOf(task: TaskVerdict): number | null {
  if (task.bound === null || task.deadline === null || task.deadline <= 0) return null;
  return (task.deadline - task.bound) / task.deadline;
}

function chosenOf(entry: SystemEntry, slack: Slack | undefined): [Verdict | undefined, string] {
  const { analysis } = entry;
  const named = (id: string | undefined): Verdict | undefined =>
    analysis.methods.find((verdict) => verdict.method === id);
  if (analysis.deployed) return [named(analysis.deployed.method), "the file deploys it"];
  const { best } = analysis;
  if (best) {
    const asked = [...analysis.methods, ...(analysis.deployable ?? [])].find(
      (verdict) => verdict.method === best.method && verdict.variant === best.variant,
    );
    if (asked) return [asked, "the best of those that prove it, as tactus analyze says"];
  }
  const searched = named(slack?.method);
  if (searched) return [searched, "under it all times may grow most"];
  const proof = analysis.methods.find((verdict) => verdict.status === "schedulable");
  if (proof) return [proof, "the first method that proves every deadline"];
  const covered = analysis.methods.find((verdict) => verdict.status !== "not-applicable");
  return [covered, "the first method that covers the system"];
}

type Limit = NonNullable<Answer["limiting"]>;

/** The share of the tighter requirement that is left; null without a bound. */
function roomOf(chain: ChainVerdict, system: System): number | null {
  const most = limitOf(system.chains?.find((one) => one.name === chain.name));
  return chain.bound === null || !Number.isFinite(most) ? null : (most - chain.bound) / most;
}

function limitingTask(verdict: Verdict, slack: Slack | undefined): Limit | undefined {
  const limit = (task: TaskVerdict): Limit => ({
    kind: "task",
    name: task.task,
    slack: slackOf(task),
  });
  const unproved = verdict.tasks.find((task) => task.deadline !== null && !task.schedulable);
  if (unproved) return limit(unproved);
  const all =
    slack?.method === verdict.method ? slack.slack.find((k) => k.kind === "all-times") : undefined;
  const broken = verdict.tasks.find((task) => task.task === all?.breaks?.task);
  if (broken) return limit(broken);
  let least: Limit | undefined;
  for (const task of verdict.tasks) {
    const left = slackOf(task);
    if (left !== null && (least?.slack == null || left < least.slack)) least = limit(task);
  }
  return least;
}

function limitingOf(verdict: Verdict | undefined, entry: SystemEntry): Answer["limiting"] {
  if (!verdict) return undefined;
  const task = limitingTask(verdict, entry.slack);
  if (task?.slack == null || task.slack < 0) return task;
  let limiting: Limit = task;
  let least = task.slack;
  for (const chain of verdict.chains ?? []) {
    const left = roomOf(chain, entry.system);
    if (left === null || left >= least) continue;
    limiting = { kind: "chain", name: chain.name, slack: left };
    least = left;
  }
  return limiting;
}

export function answerOf(entry: SystemEntry, methods: MethodInfo[]): Answer {
  const [chosen, why] = chosenOf(entry, entry.slack);
  const method = methods.find((one) => one.id === chosen?.method);
  const all = entry.slack?.slack.find((knob) => knob.kind === "all-times");
  const covering = entry.analysis.methods.filter((one) => one.status !== "not-applicable");
  const { status, headline, best } = entry.analysis;
  const proved = status === "schedulable";
  return {
    status,
    words: headline.text,
    tone:
      status === "unschedulable" ? "bad" : proved && headline.state !== "needs" ? "good" : "open",
    beyond: proved ? headline.not_covered.join("; ") : "",
    conditions: (best?.cover?.conditions ?? []).filter((one) => one.holds !== "yes"),
    chosen,
    method,
    why,
    limiting: limitingOf(chosen, entry),
    growth: entry.slack?.method === chosen?.method ? (all?.holds ?? null) : null,
    assumptions: [
      ...(method ? [`The system is as the method reads it: ${method.assumes}.`] : []),
      ...(method ? [`At run time it needs: ${method.needs}.`] : []),
      "Every execution time in the file is a true upper bound on the machine that runs it.",
      ...(chosen?.warnings ?? []),
      ...(chosen?.notes ?? []),
    ],
    proofs: covering.filter((one) => one.status === "schedulable").length,
    applicable: covering.length,
  };
}
