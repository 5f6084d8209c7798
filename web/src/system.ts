import { colourOfTask, greysFor, inkOn, type ColourByName } from "./colours";
import { el, named, section, svg, table, visible, type Column } from "./dom";
import { number, plural, shown, time } from "./format";
import { edgesOf, layOut, longestPath } from "./layout";
import type { Element, GraphNode, System, SystemEntry, Task } from "./model";
import { pathsView } from "./pipelines";
import { tip } from "./tooltip";

const kWide = 118;
const kHigh = 40;
const kAcross = 44;
const kDown = 14;

/** What a node costs when nothing runs beside it: its time, else its load on as many units as it may use. */
function weightOf(node: GraphNode): number {
  if (typeof node.wcet === "number") return node.wcet;
  return typeof node.load === "number" ? node.load : 0;
}

function everythingOf(node: GraphNode): string[] {
  const lines = Object.entries(node)
    .filter(([key]) => key !== "name")
    .map(([key, value]) => `${key}: ${shown(value)}`);
  return [node.name, ...lines];
}

function clipped(text: string, most: number): string {
  const characters = Array.from(visible(text));
  return characters.length <= most
    ? characters.join("")
    : `${characters.slice(0, most - 1).join("")}…`;
}

function nodeView(
  node: GraphNode,
  x: number,
  y: number,
  fill: string,
  critical: boolean,
  unit: string,
): SVGElement {
  const ink = inkOn(fill);
  const weight = weightOf(node);
  const group = svg(
    "g",
    {
      class: critical ? "node critical" : "node",
      tabindex: 0,
      role: "img",
      transform: `translate(${x},${y})`,
    },
    svg("rect", { width: kWide, height: kHigh, rx: 6, fill }),
    svg("text", { x: kWide / 2, y: 17, fill: ink, class: "name" }, clipped(node.name, 16)),
    svg(
      "text",
      { x: kWide / 2, y: 32, fill: ink, class: "cost" },
      clipped(`${node.on} ${weight > 0 ? time(weight, unit) : ""}`, 20),
    ),
  );
  tip(group, () => [...everythingOf(node), ...(critical ? ["on the longest path"] : [])]);
  return group;
}

function graphView(task: Task, unit: string, colours: ColourByName): HTMLElement {
  const edges = edgesOf(
    task.nodes.map((node) => node.name),
    task.edges,
  );
  const laid = layOut(task.nodes.length, edges);
  const longest = longestPath(task.nodes.map(weightOf), edges);
  const width = laid.layers * (kWide + kAcross) - kAcross + 8;
  const height = laid.rows * (kHigh + kDown) - kDown + 8;
  const left = (layer: number): number => 4 + layer * (kWide + kAcross);
  const top = (row: number): number => 4 + row * (kHigh + kDown);
  const lines = edges.map(([from, to], i) => {
    const route = laid.routes[i] ?? [];
    let path = "";
    route.forEach((point, at) => {
      const y = top(point.row) + kHigh / 2;
      const next = route[at + 1];
      if (next === undefined) return;
      const x = left(point.layer) + kWide;
      const far = left(next.layer);
      const bend = kAcross / 2;
      // Through an invisible node the line goes straight on.
      path += `${at === 0 ? `M${x},${y}` : `L${x},${y}`}C${x + bend},${y} ${far - bend},${top(next.row) + kHigh / 2} ${far},${top(next.row) + kHigh / 2}`;
    });
    const critical = longest.nodes.has(from) && longest.nodes.has(to);
    return svg("path", { d: path, class: critical ? "edge critical" : "edge" });
  });
  const nodes = task.nodes.map((node, i) => {
    const at = laid.nodes[i] ?? { layer: 0, row: 0 };
    return nodeView(
      node,
      left(at.layer),
      top(at.row),
      colours.of(node.on),
      longest.nodes.has(i),
      unit,
    );
  });
  const drawing = svg(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "group",
      "aria-label": `Graph of ${visible(task.name)}`,
    },
    ...lines,
    ...nodes,
  );
  drawing.style.minWidth = `${0.7 * width}px`; // from there on it is moved, not made smaller
  const facts = [
    task.best_effort === true ? "best effort" : `period ${time(task.period, unit)}`,
    task.deadline === undefined ? "" : `deadline ${time(task.deadline, unit)}`,
    plural(task.nodes.length, "node"),
    longest.weight > 0 ? `longest path ${time(longest.weight, unit)}` : "",
  ].filter((text) => text !== "");
  return el(
    "figure",
    { class: "graph" },
    el(
      "figcaption",
      {},
      el("strong", {}, named(colourOfTask(task.name), task.name)),
      ` ${facts.join(", ")}`,
    ),
    el(
      "div",
      {
        class: "scroll",
        tabindex: 0,
        role: "region",
        "aria-label": `Graph of ${visible(task.name)}`,
      },
      drawing,
    ),
  );
}

function platformView(elements: Element[], colours: ColourByName): HTMLElement {
  const other = (element: Element): string =>
    Object.entries(element)
      .filter(([key]) => !["name", "kind", "units"].includes(key))
      .map(([key, value]) => `${key} ${shown(value)}`)
      .join(", ");
  return table<Element>(
    "Platform",
    [
      {
        title: "element",
        of: (element) => named(colours.of(element.name), element.name),
      },
      { title: "kind", of: (element) => element.kind },
      { title: "units", of: (element) => number(element.units), number: true },
      { title: "costs", of: other },
    ],
    elements,
  );
}

/** A column for each number that some task has; the rest in words, and commands folded. */
function tasksView(system: System): HTMLElement {
  const unit = system.time_unit === "unit" ? "" : `, ${system.time_unit}`;
  const numbers = (["jitter", "offset", "priority", "gpu_priority", "core"] as const).filter(
    (key) => system.tasks.some((task) => task[key] !== undefined),
  );
  const told = [
    "name",
    "nodes",
    "edges",
    "period",
    "deadline",
    "best_effort",
    "command",
    ...numbers,
  ];
  const rest = (task: Task): string =>
    [
      ...(task.best_effort === true ? ["best effort"] : []),
      ...Object.entries(task)
        .filter(([key]) => !told.includes(key))
        .map(([key, value]) => `${key} ${shown(value)}`),
    ].join(", ");
  const columns: Column<Task>[] = [
    { title: "task", of: (task) => named(colourOfTask(task.name), task.name) },
    { title: `period${unit}`, of: (task) => number(task.period), number: true },
    { title: "deadline", of: (task) => number(task.deadline ?? task.period), number: true },
    ...numbers.map((key) => ({
      title: key === "gpu_priority" ? "GPU priority" : key,
      of: (task: Task) => number(task[key]),
      number: true,
    })),
  ];
  if (system.tasks.some((task) => rest(task) !== "")) columns.push({ title: "also", of: rest });
  if (system.tasks.some((task) => task.command)) {
    columns.push({
      title: "command",
      of: ({ command }) =>
        command
          ? el(
              "details",
              {},
              el("summary", {}, (command.argv[0] ?? "").replace(/^.*\//, "")),
              shown(command),
            )
          : "",
    });
  }
  return table<Task>("Tasks", columns, system.tasks);
}

export function systemView(entry: SystemEntry, id: string): HTMLElement {
  const { system } = entry;
  const elements = system.platform.elements;
  const colours = greysFor(elements.map((element) => element.name));
  const graphs = el("div", { class: "graphs" });
  const kMost = 60;
  for (const task of system.tasks.slice(0, kMost))
    graphs.append(graphView(task, system.time_unit, colours));
  if (system.tasks.length > kMost) {
    graphs.append(
      el("p", {}, `The graphs of ${system.tasks.length - kMost} further tasks are not drawn.`),
    );
  }
  return section(
    id,
    "System",
    el("div", { class: "beside" }, platformView(elements, colours), tasksView(system)),
    pathsView(system),
    el("h3", {}, "Graphs"),
    el(
      "p",
      { class: "detail" },
      "What does a job consist of, and what takes longest? Nodes have the grey of their element; a thick border marks the longest path.",
    ),
    graphs,
  );
}
