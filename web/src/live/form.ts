/** The same system as a form: a number and a slider for each value that people turn. */
import { el } from "../dom";
import {
  at,
  member,
  numberOf,
  parse,
  textOf,
  withCopy,
  withItem,
  withMember,
  withoutItem,
  type Value,
} from "./json";
import {
  afterField,
  chainButtons,
  chainFields,
  taskNames,
  withChain,
  type Edit,
} from "./pipelines";

type Path = (string | number)[];

/** A number of the file that can be turned. */
export interface Knob {
  /** The object it is a member of, and its key there. */
  owner: Path;
  key: string;
  label: string;
  value: number | undefined;
  whole: boolean;
  /** The least that makes sense, and the most, where the file says. */
  least: number;
  most?: number | undefined;
  /** A choice, which no slider makes. */
  choice?: boolean;
}

/** Attributes that are times, in the unit of the file. */
const kTimes = new Set([
  ...["period", "deadline", "jitter", "wcet", "bcet", "load", "overhead", "launch", "reaction"],
  ...["time_slice", "context_switch", "runlist_update", "preemption_delay", "age"],
]);
const kChoices = new Set(["priority", "gpu_priority", "core"]);

const kTaskKnobs: { key: string; label: string; whole: boolean; optional: boolean }[] = [
  { key: "period", label: "period", whole: false, optional: true },
  { key: "deadline", label: "deadline", whole: false, optional: true },
  { key: "jitter", label: "jitter", whole: false, optional: true },
  { key: "priority", label: "priority", whole: true, optional: true },
  { key: "gpu_priority", label: "GPU priority", whole: true, optional: false },
  { key: "core", label: "core", whole: true, optional: true },
];
const kNodeKnobs = ["wcet", "bcet", "load", "overhead", "launch", "parallelism", "blocks"];
const kElementKnobs = [
  "units",
  "lanes",
  "time_slice",
  "context_switch",
  "runlist_update",
  "preemption_delay",
];
const kWhole = new Set(["units", "lanes", "parallelism", "blocks", "priority", "core"]);

/** @param longest no time of a node is longer than its deadline */
function knobsOf(owner: Path, value: Value, keys: string[], longest?: number): Knob[] {
  return keys.flatMap((key): Knob[] => {
    const own = numberOf(member(value, key));
    if (own === undefined) return [];
    const whole = kWhole.has(key);
    const most = kTimes.has(key) ? longest : undefined;
    const label = key.replaceAll("_", " ");
    return [{ owner, key, label, value: own, whole, least: whole ? 1 : 0, most }];
  });
}

/** How long a job may take; undefined where the file does not say. */
function deadlineOf(task: Value): number | undefined {
  return numberOf(member(task, "deadline")) ?? numberOf(member(task, "period"));
}

function taskKnobs(owner: Path, task: Value, cores: number): Knob[] {
  const relaxed = member(task, "best_effort")?.text === "true";
  return kTaskKnobs.flatMap(({ key, label, whole, optional }): Knob[] => {
    const value = numberOf(member(task, key));
    if (value === undefined && (!optional || relaxed || key === "period")) return [];
    const choice = kChoices.has(key);
    const most =
      key === "core"
        ? cores
        : key === "deadline" || key === "jitter"
          ? numberOf(member(task, "period"))
          : undefined;
    return [{ owner, key, label, value, whole, choice, least: key === "core" ? 1 : 0, most }];
  });
}

function chainKnobs(owner: Path, chain: Value): Knob[] {
  return ["reaction", "age"].map((key) => {
    const value = numberOf(member(chain, key));
    return { owner, key, label: key, value, whole: false, least: 0 };
  });
}

/** How far a slider goes, and in which steps, around a value. */
export function rangeOf(knob: Knob, value: number): { min: number; max: number; step: number } {
  if (knob.whole) {
    const max = Math.max(8, Math.ceil(Math.abs(value) * 2));
    return { min: Math.min(knob.least, value), max, step: 1 };
  }
  const most = Math.max(knob.most ?? (value > 0 ? value * 2 : 10), value);
  const step = 10 ** Math.floor(Math.log10(most / 100));
  return { min: 0, max: Number(most.toPrecision(6)), step };
}

/** A number as it is written into a file: no more digits than were meant. */
export function written(value: number): string {
  const text = String(Number(value.toPrecision(9)));
  // The format takes plain decimals.
  return text.includes("e") ? value.toFixed(9).replace(/\.?0+$/, "") : text;
}

/** A name that nothing in the list has. */
function freeName(list: Value, stem: string): string {
  const names = new Set(list.items.map((item) => textOf(member(item, "name"))));
  let name = stem;
  for (let count = 2; names.has(name); ++count) name = `${stem}_${count}`;
  return name;
}

/** The text with one more task: some work on the first element. */
export function withTask(text: string, root: Value): string {
  const list = at(root, ["tasks"]);
  const on = textOf(member(at(root, ["platform", "elements", 0]), "name"));
  if (!list || on === undefined) return text;
  const task = {
    name: freeName(list, "task"),
    period: 100,
    nodes: [{ name: "work", on, wcet: 1 }],
  };
  return withItem(text, list, JSON.stringify(task));
}

/** The text with one more node of a task, at its end. */
export function withNode(text: string, root: Value, task: number, on: string): string {
  const list = at(root, ["tasks", task, "nodes"]);
  if (!list) return text;
  return withItem(text, list, JSON.stringify({ name: freeName(list, on), on, wcet: 1 }));
}

interface Field {
  knob: Knob;
  input: HTMLInputElement;
  slider: HTMLInputElement;
}

export class Form {
  readonly element = el("div", {
    class: "form",
    role: "group",
    "aria-label": "The system as a form",
  });
  private text = "";
  private unit = "ms";
  private shape = "";
  private fields: Field[] = [];
  private held: Field | null = null;

  constructor(
    private readonly changed: (text: string, gesture: string) => void,
    private readonly settled: () => void,
  ) {}

  show(text: string): void {
    this.text = text;
    const root = parse(text);
    if (!root) {
      this.element.classList.add("stale");
      return;
    }
    this.element.classList.remove("stale");
    this.unit = textOf(member(root, "time_unit")) ?? "ms";
    const parts = this.parts(root);
    const shape = JSON.stringify([
      this.unit,
      taskNames(root),
      parts.map((part) => [
        part.title,
        part.kind,
        part.links,
        part.groups.map((group) => [group.title, group.knobs.map((knob) => knob.key)]),
      ]),
    ]);
    if (shape === this.shape) {
      const knobs = parts.flatMap((part) => part.groups.flatMap((group) => group.knobs));
      knobs.forEach((knob, i) => {
        const field = this.fields[i];
        if (field) this.refresh(field, knob);
      });
      return;
    }
    this.shape = shape;
    this.fields = [];
    this.element.replaceChildren(
      ...parts.map((part) =>
        el(
          "fieldset",
          {},
          el("legend", {}, part.title),
          part.groups
            .map((group) => this.group(group.title, group.knobs))
            .reduce((all, one) => {
              all.append(one);
              return all;
            }, el("div")),
          part.kind === "task" ? afterField(root, part.place, this.edit) : null,
          part.kind === "task" ? this.taskButtons(root, part.place) : null,
          part.kind === "chain" ? chainFields(root, part.place, this.edit) : null,
          part.kind === "chain" ? chainButtons(part.place, this.edit) : null,
        ),
      ),
      el(
        "div",
        { class: "tools" },
        this.button("Add a task", () => {
          this.edit(withTask);
        }),
        this.button("Add a chain", () => {
          this.edit(withChain);
        }),
      ),
    );
  }

  private readonly edit: Edit = (change) => {
    const root = parse(this.text);
    if (root) this.changed(change(this.text, root), "");
  };

  private parts(root: Value): {
    title: string;
    kind: "element" | "task" | "chain";
    place: number;
    /** What else its fields are made of. */
    links: string;
    groups: { title: string; knobs: Knob[] }[];
  }[] {
    const named = (value: Value, otherwise: string): string =>
      textOf(member(value, "name")) ?? otherwise;
    const elements = (at(root, ["platform", "elements"])?.items ?? []).map((value, place) => ({
      title: `${named(value, `element ${place + 1}`)} (${textOf(member(value, "kind")) ?? "?"})`,
      kind: "element" as const,
      place,
      links: "",
      groups: [
        { title: "", knobs: knobsOf(["platform", "elements", place], value, kElementKnobs) },
      ],
    }));
    const cores = (at(root, ["platform", "elements"])?.items ?? [])
      .filter((element) => textOf(member(element, "kind")) === "cpu")
      .reduce((sum, element) => sum + (numberOf(member(element, "units")) ?? 0), 0);
    const tasks = (at(root, ["tasks"])?.items ?? []).map((value, place) => ({
      title: `Task ${named(value, String(place + 1))}`,
      kind: "task" as const,
      place,
      links: textOf(member(value, "after")) ?? "",
      groups: [
        { title: "", knobs: taskKnobs(["tasks", place], value, cores) },
        ...(member(value, "nodes")?.items ?? []).map((node, n) => ({
          title: `${named(node, String(n + 1))} on ${textOf(member(node, "on")) ?? "?"}`,
          knobs: knobsOf(["tasks", place, "nodes", n], node, kNodeKnobs, deadlineOf(value)),
        })),
      ],
    }));
    const chains = (at(root, ["chains"])?.items ?? []).map((value, place) => ({
      title: `Chain ${named(value, String(place + 1))}`,
      kind: "chain" as const,
      place,
      links: ["tasks", "phases"].map((key) => this.written(member(value, key))).join(),
      groups: [{ title: "", knobs: chainKnobs(["chains", place], value) }],
    }));
    return [...elements, ...tasks, ...chains];
  }

  private written(value: Value | undefined): string {
    return value ? this.text.slice(value.start, value.end) : "";
  }

  private group(title: string, knobs: Knob[]): HTMLElement {
    return el(
      "div",
      { class: "knobs" },
      title === "" ? null : el("p", { class: "piece-name" }, title),
      ...knobs.map((knob) => this.field(knob, title)),
    );
  }

  private field(knob: Knob, group: string): HTMLElement {
    const name = `${knob.label}${group === "" ? "" : ` of ${group}`}`;
    // A choice goes up and down by one.
    const input = el("input", {
      type: knob.choice === true ? "number" : "text",
      inputmode: "decimal",
      size: 7,
      "aria-label": name,
      ...(knob.choice === true ? { min: knob.least, max: knob.most, step: 1 } : {}),
    });
    const slider = el("input", { type: "range", "aria-label": `${name}, slider`, tabindex: 0 });
    const unit = kTimes.has(knob.key) && this.unit !== "unit" ? ` [${this.unit}]` : "";
    const field: Field = { knob, input, slider };
    this.fields.push(field);
    this.refresh(field, knob);
    slider.addEventListener("pointerdown", () => (this.held = field));
    slider.addEventListener("input", () => {
      this.set(field, Number(slider.value), `slide ${knob.owner.join("/")}/${knob.key}`);
    });
    slider.addEventListener("change", () => {
      this.held = null;
      this.settled();
      this.show(this.text);
    });
    input.addEventListener("change", () => {
      const value = Number(input.value.replace(",", "."));
      if (input.value.trim() !== "" && Number.isFinite(value)) this.set(field, value, "");
      else this.show(this.text);
    });
    return el("label", { class: "knob" }, el("span", {}, knob.label + unit), input, slider);
  }

  private refresh(field: Field, knob: Knob): void {
    field.knob = knob;
    const value = knob.value;
    field.input.value = value === undefined ? "" : written(value);
    field.input.placeholder = value === undefined ? "default" : "";
    if (this.held === field) return; // its range would move under the hand
    const range = rangeOf(knob, value ?? 0);
    field.slider.min = String(range.min);
    field.slider.max = String(range.max);
    field.slider.step = String(range.step);
    field.slider.value = String(value ?? 0);
    field.slider.hidden = value === undefined || knob.choice === true;
  }

  private set(field: Field, value: number, gesture: string): void {
    const { knob } = field;
    const owner = at(parse(this.text), knob.owner);
    if (!owner) return;
    const text = withMember(
      this.text,
      owner,
      knob.key,
      written(knob.whole ? Math.round(value) : value),
    );
    this.text = text;
    knob.value = value;
    field.input.value = written(value);
    this.changed(text, gesture);
  }

  private button(text: string, act: () => void): HTMLElement {
    return el("button", { type: "button", click: act }, text);
  }

  private taskButtons(root: Value, place: number): HTMLElement {
    const tasks = (change: (text: string, list: Value, place: number) => string) => () => {
      this.edit((text, now) => {
        const list = at(now, ["tasks"]);
        return list ? change(text, list, place) : text;
      });
    };
    const nodes = at(root, ["tasks", place, "nodes"])?.items ?? [];
    const names = nodes.map((node) => textOf(member(node, "name")) ?? "");
    return el(
      "div",
      { class: "tools" },
      ...(at(root, ["platform", "elements"])?.items ?? []).flatMap((element) => {
        const on = textOf(member(element, "name"));
        if (on === undefined) return [];
        return this.button(`Add work on ${on}`, () => {
          this.edit((text, now) => withNode(text, now, place, on));
        });
      }),
      ...(nodes.length > 1
        ? names.map((name, n) =>
            this.button(`Remove ${name}`, () => {
              this.edit((text, now) => {
                const list = at(now, ["tasks", place, "nodes"]);
                return list ? withoutItem(text, list, n) : text;
              });
            }),
          )
        : []),
      this.button("Duplicate", tasks(withCopy)),
      this.button("Remove", tasks(withoutItem)),
    );
  }
}
