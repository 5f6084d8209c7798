/** In the form: what starts a task, and what is required from end to end. */
import { el } from "../dom";
import {
  at,
  member,
  parse,
  textOf,
  withItem,
  withMember,
  withoutItem,
  withoutMember,
  type Value,
} from "./json";

/** Changes the text of the file. */
export type Edit = (change: (text: string, root: Value) => string) => void;

export function taskNames(root: Value | null): string[] {
  return (at(root, ["tasks"])?.items ?? []).map((task) => textOf(member(task, "name")) ?? "");
}

function choice(
  label: string,
  options: string[],
  value: string,
  chosen: (value: string) => void,
): HTMLElement {
  const select = el(
    "select",
    { "aria-label": label },
    ...options.map((name) => el("option", { value: name }, name === "" ? "–" : name)),
  );
  select.value = value;
  select.addEventListener("change", () => {
    chosen(select.value);
  });
  return select;
}

/** The text of the period of the first task on the path to this one. */
function rootPeriod(root: Value, place: number): string | undefined {
  const names = taskNames(root);
  for (let left = names.length; left > 0; --left) {
    const task = at(root, ["tasks", place]);
    const before = textOf(member(task, "after"));
    if (before === undefined) return member(task, "period")?.text;
    place = names.indexOf(before);
  }
  return undefined;
}

/** A task that another one starts has neither a period nor an offset of its own. */
export function withAfter(text: string, place: number, before: string): string {
  const task = (): Value | undefined => at(parse(text), ["tasks", place]);
  const root = parse(text);
  if (!root) return text;
  const period = rootPeriod(root, place);
  const change = (edit: (text: string, task: Value) => string): void => {
    const now = task();
    if (now) text = edit(text, now);
  };
  if (before === "") {
    change((now, own) => withoutMember(now, own, "after"));
    if (period !== undefined) change((now, own) => withMember(now, own, "period", period));
    return text;
  }
  for (const key of ["period", "offset"]) change((now, own) => withoutMember(now, own, key));
  change((now, own) => withMember(now, own, "after", JSON.stringify(before)));
  return text;
}

export function afterField(root: Value, place: number, edit: Edit): HTMLElement {
  const names = taskNames(root);
  const own = names[place] ?? "";
  const before = textOf(at(root, ["tasks", place, "after"])) ?? "";
  const others = ["", ...names.filter((name) => name !== own)];
  return el(
    "label",
    { class: "knob" },
    el("span", {}, "after"),
    choice(`what starts ${own}`, others, before, (name) => {
      edit((text) => withAfter(text, place, name));
    }),
  );
}

/** The tasks of a chain in order, each with a way out, and one more; and its phases. */
export function chainFields(root: Value, place: number, edit: Edit): HTMLElement {
  const chain = at(root, ["chains", place]);
  const tasks = (member(chain, "tasks")?.items ?? []).map((task) => task.text);
  const set = (key: string, value: string): void => {
    edit((text, now) => {
      const own = at(now, ["chains", place]);
      return own ? withMember(text, own, key, value) : text;
    });
  };
  const write = (list: string[]): void => {
    set("tasks", JSON.stringify(list));
  };
  const left = taskNames(root).filter((name) => !tasks.includes(name));
  return el(
    "div",
    { class: "knobs" },
    el(
      "div",
      { class: "chain" },
      ...tasks.map((name, k) =>
        el(
          "span",
          { class: "link" },
          k === 0 ? "" : "→ ",
          name,
          tasks.length > 1
            ? el(
                "button",
                {
                  type: "button",
                  "aria-label": `take ${name} out of the chain`,
                  click: () => {
                    write(tasks.filter((_, other) => other !== k));
                  },
                },
                "×",
              )
            : null,
        ),
      ),
      left.length > 0
        ? choice("add a task to the chain", ["", ...left], "", (name) => {
            if (name !== "") write([...tasks, name]);
          })
        : null,
    ),
    el(
      "label",
      { class: "knob" },
      el("span", {}, "phases"),
      choice("phases", ["any", "fixed"], textOf(member(chain, "phases")) ?? "any", (name) => {
        set("phases", JSON.stringify(name));
      }),
    ),
  );
}

/** Another chain, over all tasks with deadlines, for a person to cut down. */
export function withChain(text: string, root: Value): string {
  const chains = at(root, ["chains"]);
  const names = new Set((chains?.items ?? []).map((chain) => textOf(member(chain, "name"))));
  let count = 1;
  while (names.has(`chain ${count}`)) ++count;
  const tasks = (at(root, ["tasks"])?.items ?? [])
    .filter((task) => member(task, "best_effort")?.text !== "true")
    .map((task) => textOf(member(task, "name")) ?? "");
  const added = JSON.stringify({ name: `chain ${count}`, tasks });
  return chains ? withItem(text, chains, added) : withMember(text, root, "chains", `[${added}]`);
}

export function chainButtons(place: number, edit: Edit): HTMLElement {
  return el(
    "div",
    { class: "tools" },
    el(
      "button",
      {
        type: "button",
        click: () => {
          edit((text, root) => {
            const chains = at(root, ["chains"]);
            return chains ? withoutItem(text, chains, place) : text;
          });
        },
      },
      "Remove",
    ),
  );
}
