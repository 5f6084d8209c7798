import type { GanttModel } from "./model";

/** Which part of time a Gantt chart shows. */
export interface Viewport {
  from: number;
  to: number;
}

export interface Extent {
  begin: number;
  stop: number;
}

/** Nearer than this (a millionth of everything) nothing can be told apart. */
const kNearest = 1e-7;

export function whole(extent: Extent): Viewport {
  return { from: extent.begin, to: extent.stop };
}

/** So many jobs of the fastest task can still be told apart. */
const kMostJobs = 60;

/** What is shown first: from arrival to arrival of the slowest task, where not too much happens in it. */
export function opening(model: GanttModel): Viewport {
  const rhythms: number[] = [];
  model.rows.forEach((row, r) => {
    const first = model.first[r] ?? 0;
    if (!row.jobs || (model.first[r + 1] ?? 0) < first + 2) return;
    rhythms.push((model.start[first + 1] ?? 0) - (model.start[first] ?? 0));
  });
  const real = rhythms.filter((rhythm) => rhythm > 0);
  if (real.length === 0) return whole(model);
  const length = Math.min(Math.max(...real) * 1.1, Math.min(...real) * kMostJobs);
  return clamped({ from: model.begin, to: model.begin + length }, model);
}

/** Never outside of what there is, and never so near that numbers lose their meaning. */
export function clamped(view: Viewport, extent: Extent): Viewport {
  const all = extent.stop - extent.begin;
  const length = Math.max(all * kNearest, Math.min(all, view.to - view.from));
  const from = Math.max(extent.begin, Math.min(extent.stop - length, view.from));
  return { from, to: from + length };
}

/** Zooms around a time, which stays where it is on the screen; a factor below 1 shows more detail. */
export function zoomed(view: Viewport, extent: Extent, factor: number, around: number): Viewport {
  return clamped(
    { from: around - (around - view.from) * factor, to: around + (view.to - around) * factor },
    extent,
  );
}

export function moved(view: Viewport, extent: Extent, by: number): Viewport {
  return clamped({ from: view.from + by, to: view.to + by }, extent);
}
