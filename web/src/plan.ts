import { el, section, table, type Child } from "./dom";
import { number, shown } from "./format";
import type { From, Plan } from "./model";

/** Fields that say what the plan belongs to, not what it does. */
const kHead = ["tactus", "kind", "system", "fingerprint", "method", "variant"];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The fields whose value is one entry per task (cores, priorities, shares, bounds) together, as one
 * table with a line per task.
 */
function perTask(plan: Plan): { fields: string[]; tasks: string[] } {
  const fields = Object.keys(plan).filter((key) => !kHead.includes(key) && isObject(plan[key]));
  const tasks = new Set<string>();
  for (const field of fields)
    for (const task of Object.keys(plan[field] as object)) tasks.add(task);
  return { fields, tasks: [...tasks] };
}

function listView(name: string, list: unknown[]): HTMLElement {
  const objects = list.filter(isObject);
  if (objects.length < list.length) return el("p", {}, `${name}: ${shown(list)}`);
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const most = 100;
  const content = table<Record<string, unknown>>(
    name,
    keys.map((key) => ({
      title: key,
      of: (object) => shown(object[key]),
      number: objects.every((object) => typeof object[key] === "number"),
    })),
    objects.slice(0, most),
  );
  return el(
    "details",
    {},
    el("summary", {}, `${name} (${list.length})`),
    list.length > most && el("p", {}, `The first ${most}.`),
    content,
  );
}

export function planBody(plan: Plan): HTMLElement {
  const { fields, tasks } = perTask(plan);
  const parts: Child[] = [];
  const single = Object.keys(plan).filter(
    (key) => !kHead.includes(key) && !isObject(plan[key]) && !Array.isArray(plan[key]),
  );
  if (single.length > 0) {
    parts.push(
      el(
        "p",
        {},
        single.map((key) => `${key.replaceAll("_", " ")}: ${shown(plan[key])}`).join("; "),
      ),
    );
  }
  if (fields.length > 0) {
    const cell = (task: string, field: string): unknown =>
      (plan[field] as Record<string, unknown>)[task];
    parts.push(
      table<string>(
        "What the plan says per task",
        [
          { title: "task", of: (task) => task },
          ...fields.map((field) => ({
            title: field.replaceAll("_", " "),
            of: (task: string) => {
              const value = cell(task, field);
              return value === undefined
                ? ""
                : typeof value === "number"
                  ? number(value)
                  : shown(value);
            },
            number: tasks.every((task) =>
              ["number", "undefined"].includes(typeof cell(task, field)),
            ),
          })),
        ],
        tasks,
      ),
    );
  }
  for (const key of Object.keys(plan)) {
    const value = plan[key];
    if (Array.isArray(value) && value.length > 0) parts.push(listView(key, value));
  }
  return el("div", {}, ...parts);
}

export function planView(plan: From<Plan>, gantt: HTMLElement | null, id: string): HTMLElement {
  const { document } = plan;
  return section(
    id,
    `Plan of ${document.method}`,
    plan.problem !== undefined &&
      el("p", { class: "verdict bad" }, `It does not hold: ${plan.problem}`),
    el(
      "p",
      { class: "source" },
      `For ${document.system}, variant ${document.variant}; from ${plan.file}`,
    ),
    gantt,
    planBody(document),
  );
}
