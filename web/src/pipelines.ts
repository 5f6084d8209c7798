/** From sensor to actuator: what starts what, and what each chain's bound is the sum of. */
import { colourOfTask, inkOn } from "./colours";
import { el, named, svg, visible } from "./dom";
import { number, time, used } from "./format";
import { layOut } from "./layout";
import type { Chain, ChainVerdict, System, Task, Verdict } from "./model";
import { tip } from "./tooltip";

const kWide = 124;
const kHigh = 40;
const kAcross = 48;
const kDown = 14;

/** The least of what a chain may take; Infinity where the file does not say. */
export function limitOf(chain: Chain | undefined): number {
  return Math.min(chain?.reaction ?? Infinity, chain?.age ?? Infinity);
}

/** A task that another one starts has the period of the first of its path. */
function factOf(task: Task, unit: string): string {
  const jitter = typeof task.jitter === "number" && task.jitter > 0 ? ` +${task.jitter}` : "";
  const after = typeof task.after === "string";
  return after ? `started${jitter}` : `every ${time(task.period, unit)}${jitter}`;
}

/** Tasks that start others or are in chains, with an arrow for each start and each value that is read. */
export function pathsView(system: System): HTMLElement | null {
  const chains = system.chains ?? [];
  const linked = new Set(chains.flatMap((chain) => chain.tasks));
  for (const task of system.tasks) {
    if (typeof task.after !== "string") continue;
    linked.add(task.name).add(task.after);
  }
  const tasks = system.tasks.filter((task) => linked.has(task.name));
  if (tasks.length < 2) return null;
  const place = new Map(tasks.map((task, i) => [task.name, i]));
  const edges = new Map<string, { ends: [number, number]; starts: boolean }>();
  const join = (from: string, to: string, starts: boolean): void => {
    const ends: [number, number] = [place.get(from) ?? 0, place.get(to) ?? 0];
    const known = edges.get(ends.join());
    edges.set(ends.join(), { ends, starts: starts || known?.starts === true });
  };
  for (const task of tasks) if (typeof task.after === "string") join(task.after, task.name, true);
  for (const chain of chains) {
    chain.tasks.slice(1).forEach((name, k) => {
      join(chain.tasks[k] ?? "", name, false);
    });
  }
  const all = [...edges.values()];
  const laid = layOut(
    tasks.length,
    all.map(({ ends }) => ends),
  );
  const left = (layer: number): number => 4 + layer * (kWide + kAcross);
  const middle = (row: number): number => 4 + row * (kHigh + kDown) + kHigh / 2;
  const lines = all.map(({ starts }, i) => {
    const route = laid.routes[i] ?? [];
    let path = "";
    route.forEach((point, k) => {
      const next = route[k + 1];
      if (next === undefined) return;
      const x = left(point.layer) + kWide;
      const far = left(next.layer);
      const bend = kAcross / 2;
      path += `${k === 0 ? "M" : "L"}${x},${middle(point.row)}C${x + bend},${middle(point.row)} ${far - bend},${middle(next.row)} ${far},${middle(next.row)}`;
    });
    return svg("path", { d: path, class: starts ? "edge critical" : "edge value" });
  });
  const nodes = tasks.map((task, i) => {
    const at = laid.nodes[i] ?? { layer: 0, row: 0 };
    const fill = colourOfTask(task.name);
    const ink = inkOn(fill);
    const name = Array.from(visible(task.name));
    const node = svg(
      "g",
      {
        class: "node",
        tabindex: 0,
        role: "img",
        transform: `translate(${left(at.layer)},${middle(at.row) - kHigh / 2})`,
      },
      svg("rect", { width: kWide, height: kHigh, rx: 6, fill }),
      svg(
        "text",
        { x: kWide / 2, y: 17, fill: ink, class: "name" },
        name.length > 16 ? `${name.slice(0, 15).join("")}…` : name.join(""),
      ),
      svg(
        "text",
        { x: kWide / 2, y: 32, fill: ink, class: "cost" },
        factOf(task, system.time_unit),
      ),
    );
    tip(node, () => [
      task.name,
      factOf(task, system.time_unit),
      ...(typeof task.jitter === "number"
        ? [`released up to ${time(task.jitter, system.time_unit)} after its arrival`]
        : []),
    ]);
    return node;
  });
  const width = laid.layers * (kWide + kAcross) - kAcross + 8;
  const height = laid.rows * (kHigh + kDown) - kDown + 8;
  const label = "What starts what, and what reads what";
  return el(
    "figure",
    { class: "graph paths" },
    el(
      "figcaption",
      {},
      "Tasks of paths and chains: a thick line starts a task, a dashed one is a value that it reads.",
    ),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
      svg(
        "svg",
        { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label },
        ...lines,
        ...nodes,
      ),
    ),
  );
}

/** A chain as a row: each task waits, and then takes; together that is the bound. */
function chainRow(chain: Chain, found: ChainVerdict | undefined, unit: string): HTMLElement {
  const limit = limitOf(chain);
  const bound = found?.bound ?? null;
  const scale = Math.max(bound ?? 0, Number.isFinite(limit) ? limit : 0) * 1.04 || 1;
  const share = (amount: number): string => `${(amount / scale) * 100}%`;
  const bar = el("div", { class: "bar" });
  let from = 0;
  const add = (name: string, what: string, amount: number, waits: boolean): void => {
    if (amount <= 0) return;
    const piece = el("span", {
      class: waits ? "piece waits" : "piece",
      style: { left: share(from), width: share(amount), background: colourOfTask(name) },
    });
    tip(piece, () => [what, `${time(amount, unit)} of ${time(bound, unit)}`]);
    bar.append(piece);
    from += amount;
  };
  for (const { tasks, waits, takes } of found?.parts ?? []) {
    const name = tasks[tasks.length - 1] ?? "";
    add(name, `until a job of ${tasks[0] ?? ""} arrives that reads it`, waits, true);
    add(name, `until ${name} has ended, after that arrival`, takes, false);
  }
  if (Number.isFinite(limit)) {
    bar.append(
      el("span", { class: "deadline", style: { left: share(limit) }, "aria-hidden": "true" }),
    );
  }
  const of = chain.reaction === limit ? "reaction" : "age";
  const result =
    bound === null
      ? "no bound"
      : Number.isFinite(limit)
        ? `${of} ${number(bound)} of ${time(limit, unit)} (${used(bound / limit)})`
        : time(bound, unit);
  return el(
    "li",
    {},
    el(
      "div",
      { class: "bar-row" },
      el(
        "span",
        { class: "bar-name" },
        chain.name,
        el("span", { class: "detail" }, chain.tasks.join(" → ")),
      ),
      bar,
      el("span", { class: found?.holds === true ? "bar-result" : "bar-result bad" }, result),
    ),
  );
}

/** What is required from end to end, and what the method that counts bounds it by. */
export function chainsView(system: System, verdict: Verdict | undefined): HTMLElement[] {
  const chains = system.chains ?? [];
  if (chains.length === 0) return [];
  const found = (chain: Chain): ChainVerdict | undefined =>
    verdict?.chains?.find((one) => one.name === chain.name);
  const unit = system.time_unit;
  return [
    el("h3", {}, "From end to end"),
    el(
      "ul",
      { class: "bars chains" },
      ...chains.map((chain) => chainRow(chain, found(chain), unit)),
    ),
    el(
      "ul",
      { class: "legend" },
      ...[...new Set(chains.flatMap((chain) => chain.tasks))].map((name) =>
        el("li", {}, named(colourOfTask(name), name)),
      ),
    ),
    el(
      "p",
      { class: "detail" },
      "Pale: until a job arrives that reads the value; full: until that job has ended; the line is the limit.",
    ),
  ];
}
