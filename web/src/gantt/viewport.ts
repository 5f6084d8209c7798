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
