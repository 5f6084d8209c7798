/** Two versions of a system side by side. */
import { el, section, table, type Child } from "../dom";
import { time } from "../format";
import { answerOf } from "../judge";
import type { Report, SystemEntry, TaskVerdict } from "../model";
import { parse, type Value } from "./json";

/** Every simple value with the way to it; things in lists are called by their names. */
export function leaves(value: Value, way = ""): Map<string, string> {
  const out = new Map<string, string>();
  const add = (inner: Value, step: string): void => {
    for (const [key, text] of leaves(inner, way === "" ? step : `${way} › ${step}`))
      out.set(key, text);
  };
  if (value.kind === "object") {
    for (const { key, value: inner } of value.members)
      if (key !== "name" || way === "") add(inner, key);
  } else if (value.kind === "array") {
    value.items.forEach((item, i) => {
      const name = item.members.find((one) => one.key === "name")?.value.text;
      add(item, name ?? String(i + 1));
    });
  } else {
    out.set(way, value.text);
  }
  return out;
}

export interface Difference {
  what: string;
  before: string | undefined;
  after: string | undefined;
}

/** What differs between two texts; nothing where one of them is not JSON. */
export function differences(before: string, after: string): Difference[] {
  const first = parse(before);
  const second = parse(after);
  if (!first || !second) return [];
  const old = leaves(first);
  const now = leaves(second);
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((what) => ({ what, before: old.get(what), after: now.get(what) }))
    .filter((one) => one.before !== one.after);
}

interface Pair {
  task: string;
  before: TaskVerdict | undefined;
  after: TaskVerdict | undefined;
}

function pairs(before: SystemEntry, after: SystemEntry, method: string): Pair[] {
  const of = (entry: SystemEntry): TaskVerdict[] =>
    entry.analysis.methods.find((one) => one.method === method)?.tasks ?? [];
  const names = new Set([...of(before), ...of(after)].map((one) => one.task));
  return [...names].map((task) => ({
    task,
    before: of(before).find((one) => one.task === task),
    after: of(after).find((one) => one.task === task),
  }));
}

function bound(verdict: TaskVerdict | undefined, unit: string): Child {
  if (!verdict) return "–";
  const text = verdict.bound === null ? "no bound" : time(verdict.bound, unit);
  const proved = verdict.deadline === null || verdict.schedulable;
  return el("span", { class: proved ? "" : "bad" }, proved ? text : `${text}, not proved`);
}

export function compareView(
  kept: Report,
  keptText: string,
  now: Report,
  text: string,
): HTMLElement {
  const [before] = kept.systems;
  const [after] = now.systems;
  if (!before || !after) return section("compare", "Compared", el("p", {}, "Nothing to compare."));
  const methods = now.catalogue.methods;
  const method = answerOf(after, methods).chosen?.method ?? "";
  const unit = after.system.time_unit;
  const changes = differences(keptText, text);
  return section(
    "compare",
    "Compared with the version that was kept",
    el(
      "p",
      {},
      `Kept: ${answerOf(before, methods).words}. Now: ${answerOf(after, methods).words}.`,
    ),
    changes.length === 0
      ? el("p", { class: "detail" }, "No value differs.")
      : table<Difference>(
          "Values that differ",
          [
            { title: "value", of: (one) => one.what },
            { title: "kept", of: (one) => one.before ?? "–", number: true },
            { title: "now", of: (one) => one.after ?? "–", number: true },
          ],
          changes.slice(0, 200),
        ),
    table<Pair>(
      `Bounds under ${method}`,
      [
        { title: "task", of: (one) => one.task },
        { title: "kept", of: (one) => bound(one.before, unit), number: true },
        { title: "now", of: (one) => bound(one.after, unit), number: true },
        {
          title: "deadline",
          of: (one) => time(one.after?.deadline ?? one.before?.deadline, unit),
          number: true,
        },
      ],
      pairs(before, after, method),
    ),
  );
}
