import { el, named, svg, table, visible } from "./dom";
import { number, ticks } from "./format";
import { hideTip, showTip, tip } from "./tooltip";

/** Charts in SVG: axes, bands, bars, marked values, a legend that switches lines, values on hover. */
export interface ChartPoint {
  x: number;
  y: number;
  low?: number;
  high?: number;
}

export interface Line {
  name: string;
  colour: string;
  dash?: number;
  points: ChartPoint[];
}

/** A bar of a histogram. */
export interface Bar {
  from: number;
  to: number;
  height: number;
  colour: string;
  /** What is said of it. */
  about: string[];
}

export interface Mark {
  x?: number;
  y?: number;
  name: string;
  late?: boolean;
}

export interface Chart {
  title: string;
  x: string;
  y: string;
  lines: Line[];
  bars?: Bar[];
  /** Lines across (or down) the whole chart. */
  marks?: Mark[];
  zero?: boolean;
  top?: number;
}

const kWidth = 640;
const kHeight = 330;
const kLeft = 56;
const kRight = 14;
const kTop = 14;
const kBottom = 44;
const kDashes = ["", "", "7 4", "2 3", "8 3 2 3", "12 4"];

interface Scale {
  x: (value: number) => number;
  y: (value: number) => number;
  low: { x: number; y: number };
  high: { x: number; y: number };
}

function scaleOf(chart: Chart, lines: Line[]): Scale {
  const bars = chart.bars ?? [];
  const xs = lines.flatMap((line) => line.points.map((point) => point.x));
  const ys = lines.flatMap((line) =>
    line.points.flatMap((p) => [p.y, p.low ?? p.y, p.high ?? p.y]),
  );
  for (const bar of bars) {
    xs.push(bar.from, bar.to);
    ys.push(bar.height);
  }
  if (bars.length > 0) xs.push(0);
  for (const mark of chart.marks ?? []) {
    if (mark.x !== undefined) xs.push(mark.x);
    if (mark.y !== undefined) ys.push(mark.y);
  }
  const low = { x: Math.min(...xs), y: chart.zero ? 0 : Math.min(...ys) };
  const high = { x: Math.max(...xs), y: chart.top ?? Math.max(...ys) * 1.03 };
  if (!(high.x > low.x)) [low.x, high.x] = [low.x - 0.5 || -0.5, low.x + 0.5 || 0.5];
  if (!(high.y > low.y)) high.y = low.y + 1;
  return {
    x: (value) => kLeft + ((value - low.x) / (high.x - low.x)) * (kWidth - kLeft - kRight),
    y: (value) =>
      kHeight - kBottom - ((value - low.y) / (high.y - low.y)) * (kHeight - kTop - kBottom),
    low,
    high,
  };
}

function axes(chart: Chart, scale: Scale): SVGElement {
  const group = svg("g", { class: "axes" });
  for (const value of ticks(scale.low.y, scale.high.y, 5)) {
    const y = scale.y(value);
    group.append(
      svg("line", { x1: kLeft, x2: kWidth - kRight, y1: y, y2: y }),
      svg("text", { x: kLeft - 7, y: y + 4, "text-anchor": "end" }, number(value)),
    );
  }
  for (const value of ticks(scale.low.x, scale.high.x, 7)) {
    const x = scale.x(value);
    group.append(
      svg("line", { x1: x, x2: x, y1: kHeight - kBottom, y2: kHeight - kBottom + 5 }),
      svg("text", { x, y: kHeight - kBottom + 19, "text-anchor": "middle" }, number(value)),
    );
  }
  group.append(
    svg(
      "text",
      { x: (kLeft + kWidth - kRight) / 2, y: kHeight - 8, "text-anchor": "middle", class: "axis" },
      chart.x,
    ),
    svg(
      "text",
      {
        transform: `translate(13,${(kTop + kHeight - kBottom) / 2}) rotate(-90)`,
        "text-anchor": "middle",
        class: "axis",
      },
      chart.y,
    ),
  );
  return group;
}

function lineView(line: Line, scale: Scale): SVGElement {
  const group = svg("g", { class: "curve" });
  const first = line.points[0];
  if (!first) return group;
  if (line.points.some((point) => point.low !== undefined)) {
    const upper = line.points.map((p) => `${scale.x(p.x)},${scale.y(p.high ?? p.y)}`);
    const lower = line.points.map((p) => `${scale.x(p.x)},${scale.y(p.low ?? p.y)}`).reverse();
    group.append(
      svg("polygon", { points: [...upper, ...lower].join(" "), fill: line.colour, opacity: 0.16 }),
    );
  }
  let path = `M${scale.x(first.x)},${scale.y(first.y)}`;
  for (const point of line.points.slice(1)) {
    path += `L${scale.x(point.x)},${scale.y(point.y)}`;
  }
  group.append(
    svg("path", {
      d: path,
      fill: "none",
      stroke: line.colour,
      "stroke-width": 2.2,
      "stroke-dasharray": kDashes[line.dash ?? 1] ?? "",
    }),
  );
  if (line.points.length <= 40) {
    for (const point of line.points) {
      group.append(
        svg("circle", { cx: scale.x(point.x), cy: scale.y(point.y), r: 3, fill: line.colour }),
      );
    }
  }
  return group;
}

/** The value of a line at x: of its nearest point. */
export function valueAt(line: Line, x: number): ChartPoint | undefined {
  let found: ChartPoint | undefined;
  for (const point of line.points) {
    if (found === undefined || Math.abs(point.x - x) < Math.abs(found.x - x)) found = point;
  }
  return found;
}

/** The numbers of a chart, for who cannot see it or wants to copy them. */
function numbers(chart: Chart): HTMLElement {
  const xs = [...new Set(chart.lines.flatMap((line) => line.points.map((point) => point.x)))].sort(
    (a, b) => a - b,
  );
  const most = 200;
  const at = (line: Line, x: number): string => {
    const point = line.points.find((one) => one.x === x);
    if (!point) return "";
    return point.low === undefined
      ? number(point.y)
      : `${number(point.y)} (${number(point.low)} to ${number(point.high)})`;
  };
  return el(
    "details",
    { class: "numbers" },
    el("summary", {}, "Numbers"),
    xs.length > most && el("p", {}, `The first ${most} of ${xs.length} values.`),
    table<number>(
      chart.title,
      [
        { title: chart.x, of: (x) => number(x), number: true },
        ...chart.lines.map((line) => ({
          title: line.name,
          of: (x: number) => at(line, x),
          number: true,
        })),
      ],
      xs.slice(0, most),
    ),
  );
}

function markView(mark: Mark, scale: Scale): SVGElement {
  const across = mark.y !== undefined;
  const at = across ? scale.y(mark.y ?? 0) : scale.x(mark.x ?? 0);
  const ends = across
    ? { x1: kLeft, x2: kWidth - kRight, y1: at, y2: at }
    : { x1: at, x2: at, y1: kTop, y2: kHeight - kBottom };
  const right = !across && at > kWidth * 0.75;
  return svg(
    "g",
    { class: mark.late === false ? "mark bound" : "mark" },
    svg("line", ends),
    across
      ? svg("text", { x: kWidth - kRight - 4, y: at - 5, "text-anchor": "end" }, mark.name)
      : svg(
          "text",
          {
            x: at + (right ? -5 : 5),
            y: kTop + (mark.late === false ? 26 : 11),
            "text-anchor": right ? "end" : "start",
          },
          mark.name,
        ),
  );
}

function drawingOf(chart: Chart): SVGSVGElement {
  return svg("svg", {
    viewBox: `0 0 ${kWidth} ${kHeight}`,
    role: "img",
    "aria-label": visible(chart.title),
    class: "chart",
  });
}

/** How often what was seen. */
export function barChart(chart: Chart): HTMLElement {
  const scale = scaleOf(chart, []);
  const bars = (chart.bars ?? []).map((bar) => {
    const left = scale.x(bar.from);
    const top = scale.y(bar.height);
    const box = svg("rect", {
      x: left,
      y: top,
      width: Math.max(2, scale.x(bar.to) - left - 0.5),
      height: kHeight - kBottom - top,
      fill: bar.colour,
    });
    tip(box, () => bar.about);
    return box;
  });
  const drawing = drawingOf(chart);
  drawing.append(
    axes(chart, scale),
    ...bars,
    ...(chart.marks ?? []).map((mark) => markView(mark, scale)),
  );
  return el("figure", { class: "chart-box" }, el("figcaption", {}, chart.title), drawing);
}

export function lineChart(chart: Chart): HTMLElement {
  const hidden = new Set<Line>();
  const drawing = drawingOf(chart);
  let scale = scaleOf(chart, chart.lines);
  const draw = (): void => {
    const shown = chart.lines.filter((line) => !hidden.has(line));
    scale = scaleOf(chart, shown.length > 0 ? shown : chart.lines);
    drawing.replaceChildren(
      axes(chart, scale),
      ...shown.map((line) => lineView(line, scale)),
      ...(chart.marks ?? []).map((mark) => markView(mark, scale)),
    );
  };
  draw();
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const inside = ((event.clientX - box.left) / box.width) * kWidth;
    const share = (inside - kLeft) / (kWidth - kLeft - kRight);
    if (share < -0.02 || share > 1.02) {
      hideTip();
      return;
    }
    const x = scale.low.x + share * (scale.high.x - scale.low.x);
    const lines = chart.lines.filter((line) => !hidden.has(line));
    const at = lines.map((line) => valueAt(line, x));
    const nearest = at.find((point) => point !== undefined);
    showTip(
      [
        `${chart.x} ${number(nearest?.x)}`,
        ...lines.map((line, i) => {
          const point = at[i];
          const band =
            point?.low === undefined ? "" : ` (${number(point.low)} to ${number(point.high)})`;
          return `${line.name}: ${number(point?.y)}${band}`;
        }),
      ],
      event.clientX,
      event.clientY,
    );
  });
  drawing.addEventListener("pointerleave", hideTip);
  const legend = el("ul", { class: "legend" });
  if (chart.lines.length > 1) {
    for (const line of chart.lines) {
      const toggle = el(
        "button",
        { type: "button", "aria-pressed": "true" },
        named(line.colour, line.name),
      );
      toggle.addEventListener("click", () => {
        if (!hidden.delete(line)) hidden.add(line);
        toggle.setAttribute("aria-pressed", String(!hidden.has(line)));
        draw();
      });
      legend.append(el("li", {}, toggle));
    }
  }
  return el(
    "figure",
    { class: "chart-box" },
    el("figcaption", {}, chart.title),
    drawing,
    legend,
    numbers(chart),
  );
}
