/**
 * Paints the part of a model that is in view. Rows outside of the window and slices outside of the
 * view are never looked at; where slices are narrower than a pixel, the row is painted pixel by pixel,
 * as dark as it was busy there. So the cost depends on the window, not on the number of slices.
 */
import { number, ticks } from "../format";
import { DenseLine } from "./dense";
import { busyShare, busyShareBetween, firstAfter, firstAfterNear, type GanttModel } from "./model";
import type { Passed } from "./values";
import type { Viewport } from "./viewport";

const dense = new DenseLine();
/** Narrower slices, in pixels, are painted as pixels; so few wide ones fit that they cost little. */
const kNarrow = 6;
const kPale = 0.55;
export const kPaleKinds = new Set(["spin", "switch", "update"]);

export const kRowHeight = 22;
export const kAxisHeight = 24;

export interface Theme {
  ground: string;
  panel: string;
  ink: string;
  soft: string;
  rule: string;
  bad: string;
}

export interface Scene {
  model: GanttModel;
  view: Viewport;
  /** The size of the canvas in CSS pixels, and the width of the names at its left. */
  width: number;
  height: number;
  left: number;
  /** How far the rows are scrolled, in pixels. */
  scroll: number;
  colours: string[];
  inks: string[];
  theme: Theme;
  marked: number;
  /** Values that were passed on, to be drawn as lines. */
  passed: Passed[];
}

export function xOf(scene: Scene, time: number): number {
  const { view } = scene;
  return scene.left + ((time - view.from) / (view.to - view.from)) * (scene.width - scene.left);
}

export function timeAt(scene: Scene, x: number): number {
  const { view } = scene;
  return view.from + ((x - scene.left) / (scene.width - scene.left)) * (view.to - view.from);
}

/** The row at a height; -1 on the axis or below the last one. */
export function rowAt(scene: Scene, y: number): number {
  if (y < kAxisHeight) return -1;
  const row = Math.floor((y - kAxisHeight + scene.scroll) / kRowHeight);
  return row < scene.model.rows.length ? row : -1;
}

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, width, height, left, theme } = scene;
  context.fillStyle = theme.ground;
  context.fillRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  paintGrid(context, scene);
  const firstRow = Math.max(0, Math.floor(scene.scroll / kRowHeight));
  const lastRow = Math.min(
    model.rows.length,
    Math.ceil((scene.scroll + height - kAxisHeight) / kRowHeight),
  );
  context.save();
  context.beginPath();
  context.rect(left, kAxisHeight, width - left, height - kAxisHeight);
  context.clip();
  for (let row = firstRow; row < lastRow; ++row) paintRow(context, scene, row);
  paintPassed(context, scene);
  context.restore();
  paintNames(context, scene, firstRow, lastRow);
}

function paintGrid(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, width, height, left, theme } = scene;
  const count = Math.max(2, Math.floor((width - left) / 110));
  context.textAlign = "center";
  for (const time of ticks(view.from, view.to, count)) {
    const x = Math.round(xOf(scene, time)) + 0.5;
    context.fillStyle = theme.rule;
    context.fillRect(x, kAxisHeight, 1, height);
    context.fillStyle = theme.soft;
    if (x > left + 12) context.fillText(number(time), Math.min(x, width - 22), kAxisHeight / 2);
  }
  const { unit } = scene.model;
  context.textAlign = "left";
  context.fillText(unit === "" || unit === "unit" ? "time" : `time, ${unit}`, 4, kAxisHeight / 2);
}

function paintNames(
  context: CanvasRenderingContext2D,
  scene: Scene,
  from: number,
  to: number,
): void {
  const { model, left, height, theme } = scene;
  context.fillStyle = theme.ground;
  context.fillRect(0, kAxisHeight, left, height);
  context.save();
  context.beginPath();
  context.rect(0, kAxisHeight, left - 6, height - kAxisHeight);
  context.clip();
  context.textAlign = "left";
  for (let row = from; row < to; ++row) {
    const y = kAxisHeight + row * kRowHeight - scene.scroll;
    const { group, name } = model.rows[row] ?? { group: "", name: "" };
    const above = model.rows[row - 1];
    if (row > 0 && above?.group !== group) {
      context.fillStyle = theme.soft;
      context.fillRect(0, y, scene.width, 1);
    }
    context.fillStyle = theme.ink;
    const whole = group === "jobs" && left > 100;
    context.fillText(whole ? `jobs of ${name}` : name, 4, y + kRowHeight / 2);
  }
  context.restore();
}

function paintRow(context: CanvasRenderingContext2D, scene: Scene, row: number): void {
  const { model, view, width, left, colours, theme } = scene;
  const y = kAxisHeight + row * kRowHeight - scene.scroll;
  const isJobs = model.rows[row]?.jobs === true;
  const top = y + (isJobs ? 7 : 2);
  const high = kRowHeight - (isJobs ? 10 : 4);
  const last = model.first[row + 1] ?? 0;
  const perPixel = (view.to - view.from) / (width - left);
  let i = firstAfter(model, row, view.from);
  dense.begin(width);
  while (i < last) {
    const start = model.start[i] ?? 0;
    if (start >= view.to) break;
    const end = model.end[i] ?? 0;
    const x = xOf(scene, start);
    const wide = (end - start) / perPixel;
    if (wide >= kNarrow || scene.marked === i) {
      paintSlice(context, scene, i, x, wide, top, high);
      ++i;
      continue;
    }
    if (wide >= 1.5) {
      const wholly = Math.max(1, Math.round(x + wide) - Math.round(x) - (wide > 4 ? 1 : 0));
      dense.set(Math.round(x), wholly, shadeOf(scene, i), isSide(model, i) ? kPale : 1);
      ++i;
      continue;
    }
    // One column for all that begin in these two pixels.
    const column = Math.floor(x / 2) * 2;
    const from = timeAt(scene, column);
    const to = from + 2 * perPixel;
    const next = firstAfterNear(model, row, i, to);
    let late = false;
    for (let j = i; j < Math.min(next, i + 16); ++j) late ||= model.missed[j] === 1;
    const shade = late ? theme.bad : (colours[model.owner[i] ?? 0] ?? theme.ink);
    const share = busyShareBetween(model, row, [i, from], [next, to]);
    dense.set(column, 2, shade, 0.3 + 0.7 * share);
    i = Math.max(i + 1, next);
  }
  dense.paint(context, top, high);
  if (isJobs) paintArrivals(context, scene, row, y);
}

function shadeOf({ model, colours, theme }: Scene, i: number): string {
  return model.missed[i] === 1 ? theme.bad : (colours[model.owner[i] ?? 0] ?? theme.ink);
}

/** Not the work itself (waiting, switching, updating): paler. */
function isSide(model: GanttModel, i: number): boolean {
  return kPaleKinds.has(model.kinds[model.kind[i] ?? 0] ?? "");
}

function paintSlice(
  context: CanvasRenderingContext2D,
  scene: Scene,
  i: number,
  x: number,
  wide: number,
  top: number,
  high: number,
): void {
  const { model, inks, theme, left, width } = scene;
  const owner = model.owner[i] ?? 0;
  const from = Math.max(left, x);
  const shown = Math.min(x + wide, width) - from;
  const late = model.missed[i] === 1;
  context.fillStyle = shadeOf(scene, i);
  context.globalAlpha = isSide(model, i) ? kPale : 1;
  context.fillRect(from, top, Math.max(1, shown - (wide > 4 ? 1 : 0)), high);
  context.globalAlpha = 1;
  if (scene.marked === i) {
    context.strokeStyle = theme.ink;
    context.lineWidth = 2;
    context.strokeRect(from + 1, top + 1, Math.max(1, shown - 2), high - 2);
  }
  if (shown < 34) return;
  const name = model.names[model.name[i] ?? 0] ?? "";
  const many = (model.width[i] ?? 1) > 1 ? ` × ${model.width[i] ?? 1}` : "";
  const job =
    model.rows[0] && (model.job[i] ?? -1) >= 0 && shown > 90 ? ` #${model.job[i] ?? 0}` : "";
  context.fillStyle = late ? theme.ground : (inks[owner] ?? theme.ground);
  context.textAlign = "left";
  const room = Math.floor((shown - 6) / 6.6);
  const text = `${name}${many}${job}`;
  context.fillText(
    text.length > room ? `${text.slice(0, Math.max(1, room - 1))}…` : text,
    from + 3,
    top + high / 2,
  );
}

/** From where a value was written to where it was read. */
function paintPassed(context: CanvasRenderingContext2D, scene: Scene): void {
  const yOf = (row: number): number =>
    kAxisHeight + row * kRowHeight - scene.scroll + kRowHeight / 2;
  context.strokeStyle = scene.theme.ink;
  context.lineWidth = 2;
  for (const { written, writer, read, reader } of scene.passed) {
    context.beginPath();
    context.moveTo(xOf(scene, written), yOf(writer));
    context.lineTo(xOf(scene, read), yOf(reader));
    context.stroke();
  }
}

/** Arrows: up where a job arrives, down where it must have ended; a foot where it is released later. */
function paintArrivals(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: number,
  y: number,
): void {
  const { model, view, theme } = scene;
  const deadline = model.rows[row]?.deadline ?? 0;
  const last = model.first[row + 1] ?? 0;
  const first = firstAfter(model, row, view.from - deadline);
  // Arrows closer than this only hide the jobs.
  const shown = firstAfter(model, row, view.to) - first;
  if (shown * 14 > scene.width - scene.left) return;
  for (let i = Math.max(model.first[row] ?? 0, first - 1); i < last; ++i) {
    const start = model.start[i] ?? 0;
    if (start > view.to) break;
    const x = xOf(scene, start);
    arrow(context, x, y + 1, y + kRowHeight - 3, true, theme.ink);
    const late = model.late[i] ?? 0;
    if (late > 0) {
      context.fillStyle = theme.ink;
      context.fillRect(x, y + kRowHeight - 4, Math.max(1, xOf(scene, start + late) - x), 1);
      context.fillRect(xOf(scene, start + late) - 1, y + kRowHeight - 8, 2, 5);
    }
    if (deadline > 0) {
      arrow(
        context,
        xOf(scene, start + deadline),
        y + 1,
        y + kRowHeight - 3,
        false,
        model.missed[i] === 1 ? theme.bad : theme.soft,
      );
    }
  }
}

function arrow(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  bottom: number,
  up: boolean,
  colour: string,
): void {
  context.fillStyle = colour;
  context.fillRect(x - 0.5, top, 1, bottom - top);
  const tip = up ? top : bottom;
  const base = up ? top + 5 : bottom - 5;
  context.beginPath();
  context.moveTo(x, tip);
  context.lineTo(x - 3, base);
  context.lineTo(x + 3, base);
  context.fill();
}

/** The whole model in a strip: each row a line, as dark as it was busy. */
export function paintMinimap(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, width, height, theme, colours } = scene;
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, height);
  const rows = model.rows.length;
  const high = Math.max(1, (height - 4) / Math.max(1, rows));
  const perPixel = (model.stop - model.begin) / width;
  for (let row = 0; row < rows; ++row) {
    const last = model.first[row + 1] ?? 0;
    for (let x = 0; x < width; ++x) {
      const from = model.begin + x * perPixel;
      const share = busyShare(model, row, from, from + perPixel);
      if (share <= 0) continue;
      const at = Math.min(last - 1, firstAfter(model, row, from));
      context.globalAlpha = 0.25 + 0.75 * share;
      context.fillStyle =
        model.missed[at] === 1 ? theme.bad : (colours[model.owner[at] ?? 0] ?? theme.ink);
      context.fillRect(x, 2 + row * high, 1, Math.max(1, high - 0.5));
    }
  }
  context.globalAlpha = 1;
}
