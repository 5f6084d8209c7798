/**
 * The rows of a GPU, as its policy uses them. A trace puts a kernel on its first SM and says how wide
 * it is; here a row is an SM, or a partition where the same SMs always go together, or the whole GPU.
 */
import type { Element, System } from "../model";
import type { Row, Slice } from "./model";

export interface Arranged {
  rows: Row[];
  slices: Slice[];
}

interface Line {
  row: Row;
  slices: Slice[];
  /** The first SM of a row of a GPU. */
  unit: number;
}

function lineOf(row: Row, slices: Slice[]): Line {
  return { row, slices, unit: Number(/ (\d+)$/.exec(row.name)?.[1] ?? 0) };
}

function widths(line: Line): Set<number> {
  return new Set(line.slices.map((slice) => slice.width ?? 1));
}

/** One row per SM: a wide slice is drawn on each of its SMs. */
function spread(lines: Line[], gpu: Element): Line[] {
  const places = new Map(lines.map((line) => [line.unit, line]));
  const wide: { slice: Slice; unit: number }[] = [];
  for (const line of lines)
    for (const slice of line.slices)
      for (let i = 1; i < (slice.width ?? 1); ++i) wide.push({ slice, unit: line.unit + i });
  for (const { slice, unit } of wide) {
    const [first] = lines;
    if (!first || unit > gpu.units) continue;
    const line = places.get(unit) ?? {
      row: { ...first.row, name: `${gpu.name} ${unit}` },
      slices: [],
      unit,
    };
    places.set(unit, line);
    line.slices.push({ ...slice });
  }
  return [...places.values()].sort((a, b) => a.unit - b.unit);
}

function arrangedGpu(lines: Line[], gpu: Element): Line[] {
  const [only] = lines;
  if (only && lines.length === 1 && gpu.units > 1 && widths(only).has(gpu.units)) {
    return [{ ...only, row: { ...only.row, name: `${gpu.name}, all ${gpu.units} SMs` } }];
  }
  const partitions = lines.every((line) => widths(line).size === 1);
  if (!partitions) return spread(lines, gpu);
  return lines.map((line) => {
    const [width = 1] = widths(line);
    if (width === 1) return line;
    return {
      ...line,
      row: { ...line.row, name: `${gpu.name} ${line.unit}–${line.unit + width - 1}` },
    };
  });
}

export function arranged(rows: Row[], slices: Slice[], system: System | undefined): Arranged {
  const lines = rows.map((row) => lineOf(row, []));
  for (const slice of slices) lines[slice.row]?.slices.push(slice);
  const out: Line[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    if (!line) break;
    const { group } = line.row;
    let end = i + 1;
    while (end < lines.length && lines[end]?.row.group === group) ++end;
    const gpu = system?.platform.elements.find((one) => one.name === group && one.kind === "gpu");
    const part = lines.slice(i, end);
    // Lanes are finer than SMs: widths count them, and rows beside each other share an SM.
    const plain = gpu && !((gpu.lanes ?? 1) > 1) && part.every((one) => one.unit > 0);
    out.push(...(plain ? arrangedGpu(part, gpu) : part));
    i = end;
  }
  return {
    rows: out.map((line) => line.row),
    slices: out.flatMap((line, row) => line.slices.map((slice) => ({ ...slice, row }))),
  };
}
