import { colourOfTask, inkOn } from "../colours";
import { el, named, table, visible } from "../dom";
import { number, plural, time } from "../format";
import type { Chain } from "../model";
import { hideTip, showTip } from "../tooltip";
import { firstAfter, type GanttModel } from "./model";
import {
  kAxisHeight,
  kPaleKinds,
  kRowHeight,
  paint,
  paintMinimap,
  rowAt,
  timeAt,
  type Scene,
  type Theme,
} from "./paint";
import { Values } from "./values";
import { clamped, moved, opening, whole, zoomed, type Viewport } from "./viewport";

const kMinimapHeight = 44;
const kTallest = 560;

function themeOf(node: HTMLElement): Theme {
  // A colour of a custom property is only computed where it is used.
  const probe = el("span", { hidden: true });
  node.append(probe);
  const read = (name: string): string => {
    probe.style.setProperty("color", `var(--${name})`);
    return getComputedStyle(probe).color;
  };
  const theme = {
    ground: read("ground"),
    panel: read("panel"),
    ink: read("ink"),
    soft: read("soft"),
    rule: read("rule"),
    bad: read("bad"),
  };
  probe.remove();
  return theme;
}

/** What is said about a slice, on hover and in the table. */
export function aboutSlice(model: GanttModel, row: number, i: number): string[] {
  const of = model.rows[row];
  const start = model.start[i] ?? 0;
  const end = model.end[i] ?? 0;
  const lines = [
    model.names[model.name[i] ?? 0] ?? "",
    `${time(start, model.unit)} to ${time(end, model.unit)}, ${time(end - start, model.unit)} long`,
  ];
  if ((model.job[i] ?? -1) >= 0) lines.push(`job ${model.job[i] ?? 0}`);
  if ((model.width[i] ?? 1) > 1) lines.push(`width ${model.width[i] ?? 1}`);
  if (of?.jobs) {
    const late = model.late[i] ?? 0;
    if (late > 0) lines.push(`released ${time(late, model.unit)} after its arrival`);
    if (of.bound > 0)
      lines.push(
        `bound ${time(of.bound, model.unit)}${end - start > of.bound ? ": exceeded" : ""}`,
      );
    if (of.deadline > 0) lines.push(`deadline ${time(of.deadline, model.unit)}`);
    if (model.missed[i] === 1) lines.push("the deadline was missed");
  } else if (model.kinds[model.kind[i] ?? 0] !== "run") {
    lines.push(model.kinds[model.kind[i] ?? 0] ?? "");
  }
  return lines;
}

/** A canvas Gantt chart that zooms and pans, with the same in a table. */
export class Gantt {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly minimap: HTMLCanvasElement;
  private readonly said: HTMLElement;
  private readonly listing: HTMLDetailsElement;
  private readonly scene: Scene;
  private readonly values: Values;
  /** What the last click found. */
  private found = "";
  /** The minimap without the frame around what is in view: painted once per size. */
  private strip: HTMLCanvasElement | undefined;
  private waiting = false;

  constructor(
    private readonly model: GanttModel,
    title: string,
    private readonly chains: Chain[],
  ) {
    this.values = new Values(model, chains);
    const colours = model.owners.map(colourOfTask);
    this.scene = {
      model,
      view: opening(model),
      width: 0,
      height: 0,
      left: 120,
      scroll: 0,
      colours,
      inks: colours.map(inkOn),
      theme: { ground: "", panel: "", ink: "", soft: "", rule: "", bad: "" },
      marked: -1,
      passed: [],
    };
    this.canvas = el("canvas", {
      class: "gantt",
      tabindex: 0,
      role: "application",
      "aria-label": visible(
        `${title}: ${plural(model.start.length, "slice")} in ${plural(model.rows.length, "row")}. Arrows pan, plus and minus zoom, 0 shows everything, m goes to the next miss. A table follows.`,
      ),
    });
    this.minimap = el("canvas", { class: "minimap", "aria-hidden": "true" });
    this.said = el("p", { class: "detail said", role: "status" });
    this.listing = el(
      "details",
      { class: "slices" },
      el("summary", {}, "The slices in view as a table"),
    );
    this.element = el(
      "div",
      { class: "gantt-box" },
      this.tools(),
      this.minimap,
      this.canvas,
      this.legend(),
      this.said,
      this.listing,
    );
    this.listen();
    new ResizeObserver(() => {
      this.resize();
    }).observe(this.element);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.resize();
    });
  }

  get view(): Viewport {
    return this.scene.view;
  }

  show(view: Viewport): void {
    this.scene.view = clamped(view, this.model);
    this.scene.marked = -1;
    this.found = "";
    this.paintSoon();
  }

  /** Where the output of a job came from, and how old it was. */
  private follow(i: number): void {
    const origins = i < 0 ? [] : this.values.of(i);
    this.found = origins.map((origin) => this.values.told(origin)).join("; ");
    this.scene.passed = origins.flatMap((origin) => this.values.passed(origin));
    this.paintSoon();
  }

  /** One frame at once; for the benchmark too. */
  paintNow(): void {
    const { scene } = this;
    if (scene.width <= 0) return;
    const ratio = window.devicePixelRatio || 1;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, scene);
    this.paintFrame(ratio);
  }

  private paintSoon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paintNow();
      const { view } = this.scene;
      const shown = `In view: ${time(view.from, this.model.unit)} to ${time(view.to, this.model.unit)}`;
      this.said.textContent = this.found || shown;
      if (this.listing.open) this.list();
    });
  }

  private paintFrame(ratio: number): void {
    const context = this.minimap.getContext("2d");
    if (!context || !this.strip) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.strip, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { view, width, theme } = this.scene;
    const all = this.model.stop - this.model.begin;
    const x = ((view.from - this.model.begin) / all) * width;
    const wide = Math.max(3, ((view.to - view.from) / all) * width);
    context.strokeStyle = theme.ink;
    context.lineWidth = 2;
    context.strokeRect(x + 1, 1, wide - 2, kMinimapHeight - 2);
  }

  private resize(): void {
    const { scene } = this;
    const ratio = window.devicePixelRatio || 1;
    scene.theme = themeOf(this.element);
    scene.width = Math.floor(this.element.clientWidth);
    scene.left = scene.width < 560 ? 84 : 132;
    scene.height = Math.min(kTallest, kAxisHeight + this.model.rows.length * kRowHeight + 2);
    for (const [canvas, high] of [
      [this.canvas, scene.height],
      [this.minimap, kMinimapHeight],
    ] as const) {
      canvas.width = Math.max(1, Math.round(scene.width * ratio));
      canvas.height = Math.round(high * ratio);
      canvas.style.setProperty("height", `${high}px`);
    }
    this.strip = el("canvas", { width: this.minimap.width, height: this.minimap.height });
    const context = this.strip.getContext("2d");
    if (context && scene.width > 0) {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      paintMinimap(context, { ...scene, height: kMinimapHeight });
    }
    this.scrollTo(scene.scroll);
    this.paintSoon();
  }

  private scrollTo(scroll: number): void {
    const most = Math.max(
      0,
      kAxisHeight + this.model.rows.length * kRowHeight + 2 - this.scene.height,
    );
    this.scene.scroll = Math.max(0, Math.min(most, scroll));
    this.paintSoon();
  }

  private zoom(factor: number, around?: number): void {
    const { view } = this.scene;
    this.show(zoomed(view, this.model, factor, around ?? (view.from + view.to) / 2));
  }

  private pan(share: number): void {
    const { view } = this.scene;
    this.show(moved(view, this.model, share * (view.to - view.from)));
  }

  /** Shows the next missed deadline after the middle of the view; from the first again at the end. */
  nextMiss(): void {
    const misses: number[] = [];
    this.model.missed.forEach((missed, i) => missed === 1 && misses.push(i));
    const { view } = this.scene;
    const middle = (view.from + view.to) / 2;
    const starts = misses.map((i) => this.model.start[i] ?? 0);
    const later = starts.filter((start) => start > middle + 1e-9);
    const to = later.length > 0 ? Math.min(...later) : Math.min(...starts);
    if (misses.length === 0) {
      this.said.textContent = "No deadline was missed.";
      return;
    }
    const length = Math.min(view.to - view.from, (this.model.stop - this.model.begin) / 20);
    this.show({ from: to - length / 2, to: to + length / 2 });
  }

  private tools(): HTMLElement {
    const button = (text: string, name: string, act: () => void): HTMLElement =>
      el(
        "button",
        {
          type: "button",
          title: name,
          ...(text.length === 1 ? { "aria-label": name } : {}),
          click: act,
        },
        text,
      );
    return el(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Chart" },
      button("−", "Zoom out", () => {
        this.zoom(2);
      }),
      button("+", "Zoom in", () => {
        this.zoom(0.5);
      }),
      button("All", "Show everything", () => {
        this.show(whole(this.model));
      }),
      button("Next miss", "Show the next missed deadline", () => {
        this.nextMiss();
      }),
      el(
        "span",
        { class: "detail" },
        "Drag or arrow keys pan; Ctrl and wheel, + and − zoom.",
        this.chains.length > 0 ? " A click on a job shows where its value came from." : "",
      ),
    );
  }

  /** What a colour and a mark mean. */
  private legend(): HTMLElement {
    const { model, scene } = this;
    const kMost = 40;
    const jobs = model.rows.flatMap((row) => (row.jobs ? [row.name] : []));
    const owners = [...model.owners.keys()].sort(
      (a, b) => jobs.indexOf(model.owners[a] ?? "") - jobs.indexOf(model.owners[b] ?? ""),
    );
    const told = (mark: string, words: string): HTMLElement =>
      el("li", {}, el("span", { class: "sign", "aria-hidden": "true" }, mark), words);
    return el(
      "ul",
      { class: "legend" },
      ...owners
        .slice(0, kMost)
        .map((i) => el("li", {}, named(scene.colours[i] ?? "", model.owners[i] ?? ""))),
      owners.length > kMost && el("li", {}, `${owners.length - kMost} more`),
      jobs.length > 0 && told("↑", "arrives"),
      jobs.length > 0 && told("↓", "deadline"),
      model.kinds.some((kind) => kPaleKinds.has(kind)) &&
        el(
          "li",
          {},
          el("span", { class: "swatch pale", "aria-hidden": "true" }),
          "pale: waits, or the GPU changes hands",
        ),
      model.missed.some((missed) => missed === 1) &&
        el("li", {}, el("span", { class: "swatch missed", "aria-hidden": "true" }), "too late"),
    );
  }

  private listen(): void {
    const { canvas } = this;
    let dragged: { x: number; y: number } | undefined;
    let moving = false;
    canvas.addEventListener("pointerdown", (event) => {
      dragged = { x: event.clientX, y: event.clientY };
      moving = false;
      canvas.setPointerCapture(event.pointerId);
      hideTip();
    });
    canvas.addEventListener("pointerup", (event) => {
      dragged = undefined;
      if (!moving) this.follow(this.sliceAt(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!dragged) {
        this.hover(event);
        return;
      }
      const { scene } = this;
      if (event.clientX === dragged.x && event.clientY === dragged.y) return;
      moving = true;
      this.pan(-(event.clientX - dragged.x) / (scene.width - scene.left));
      this.scrollTo(scene.scroll - (event.clientY - dragged.y));
      dragged = { x: event.clientX, y: event.clientY };
    });
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", (event) => {
      this.zoom(0.4, timeAt(this.scene, event.offsetX));
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          this.zoom(Math.exp(event.deltaY * 0.002), timeAt(this.scene, event.offsetX));
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          event.preventDefault();
          this.pan((event.deltaX || event.deltaY) / 1000);
        }
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => {
      this.key(event);
    });
    const jump = (event: PointerEvent): void => {
      if (event.buttons === 0) return;
      const all = this.model.stop - this.model.begin;
      const middle = this.model.begin + (event.offsetX / this.scene.width) * all;
      const half = (this.scene.view.to - this.scene.view.from) / 2;
      this.show({ from: middle - half, to: middle + half });
    };
    this.minimap.addEventListener("pointerdown", jump);
    this.minimap.addEventListener("pointermove", jump);
    this.listing.addEventListener("toggle", () => {
      if (this.listing.open) this.list();
    });
  }

  private key(event: KeyboardEvent): void {
    const acts: Record<string, () => void> = {
      ArrowLeft: () => {
        this.pan(-0.15);
      },
      ArrowRight: () => {
        this.pan(0.15);
      },
      ArrowUp: () => {
        this.scrollTo(this.scene.scroll - kRowHeight);
      },
      ArrowDown: () => {
        this.scrollTo(this.scene.scroll + kRowHeight);
      },
      "+": () => {
        this.zoom(0.6);
      },
      "=": () => {
        this.zoom(0.6);
      },
      "-": () => {
        this.zoom(1 / 0.6);
      },
      "0": () => {
        this.show(whole(this.model));
      },
      Home: () => {
        this.pan(-1e9);
      },
      End: () => {
        this.pan(1e9);
      },
      m: () => {
        this.nextMiss();
      },
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  /** The slice beneath the pointer; -1 where there is none. */
  private sliceAt(event: PointerEvent): number {
    const { scene, model } = this;
    const row = rowAt(scene, event.offsetY);
    const at = timeAt(scene, event.offsetX);
    const i =
      row < 0 ? -1 : firstAfter(model, row, at - (scene.view.to - scene.view.from) / scene.width);
    const inside =
      row >= 0 &&
      event.offsetX >= scene.left &&
      i < (model.first[row + 1] ?? 0) &&
      (model.start[i] ?? 0) <= at + (2 * (scene.view.to - scene.view.from)) / scene.width;
    return inside ? i : -1;
  }

  private hover(event: PointerEvent): void {
    const { scene, model } = this;
    const marked = this.sliceAt(event);
    if (marked < 0) {
      hideTip();
    } else {
      const row = rowAt(scene, event.offsetY);
      showTip(aboutSlice(model, row, marked), event.clientX, event.clientY);
    }
    if (marked === scene.marked) return;
    scene.marked = marked;
    this.paintSoon();
  }

  private list(): void {
    const { model, scene } = this;
    const most = 500;
    const found: { row: number; i: number }[] = [];
    let count = 0;
    for (let row = 0; row < model.rows.length; ++row) {
      const last = model.first[row + 1] ?? 0;
      for (let i = firstAfter(model, row, scene.view.from); i < last; ++i) {
        if ((model.start[i] ?? 0) >= scene.view.to) break;
        if (++count <= most) found.push({ row, i });
      }
    }
    const unit = model.unit === "unit" || model.unit === "" ? "" : `, ${model.unit}`;
    const content = table<{ row: number; i: number }>(
      count > most
        ? `The first ${most} of ${count} slices; zoom in for the others`
        : plural(count, "slice"),
      [
        {
          title: "row",
          of: ({ row }) =>
            `${model.rows[row]?.jobs ? "jobs of " : ""}${model.rows[row]?.name ?? ""}`,
        },
        { title: "what", of: ({ i }) => model.names[model.name[i] ?? 0] ?? "" },
        {
          title: "job",
          of: ({ i }) => ((model.job[i] ?? -1) < 0 ? "" : number(model.job[i])),
          number: true,
        },
        { title: `start${unit}`, of: ({ i }) => number(model.start[i]), number: true },
        { title: `end${unit}`, of: ({ i }) => number(model.end[i]), number: true },
        {
          title: "",
          of: ({ i }) => (model.missed[i] === 1 ? el("span", { class: "bad" }, "missed") : ""),
        },
        ...(this.chains.length > 0
          ? [
              {
                title: "value",
                of: ({ i }: { i: number }) =>
                  this.values
                    .of(i)
                    .map((origin) => this.values.told(origin))
                    .join("; "),
              },
            ]
          : []),
      ],
      found,
    );
    this.listing.replaceChildren(el("summary", {}, "The slices in view as a table"), content);
  }
}

/** So that a measurement outside of the page reaches its charts. */
export const gantts: Gantt[] = [];

/** Of a trace also the chains whose values are followed. */
export function ganttView(model: GanttModel, title: string, chains: Chain[] = []): HTMLElement {
  const gantt = new Gantt(model, title, chains);
  gantts.push(gantt);
  return gantt.element;
}
