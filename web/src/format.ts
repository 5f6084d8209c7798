/** Numbers and times as people read them. */

/** At most six digits that count, no trailing zeros: 13.9, 0.000012, 123457. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const rounded = Number(value.toPrecision(6));
  return Math.abs(rounded) < 1e-6 && rounded !== 0 ? rounded.toExponential() : String(rounded);
}

function percentage(share: number, whole: (value: number) => number): string {
  const value = Number((share * 100).toPrecision(12)); // 0.58 * 100 is a little less than 58
  const text = Math.abs(value) < 10 ? whole(value * 10) / 10 : whole(value);
  return `${text === 0 ? 0 : text} %`; // not "-0 %"
}

/** Room that is left, never shown larger than it is. */
export function percent(share: number): string {
  return percentage(share, Math.floor);
}

/** What is used or missing, never shown smaller than it is. */
export function used(share: number): string {
  return percentage(share, Math.ceil);
}

/** "13.9 ms"; files that count in abstract units say no unit. */
export function time(value: number | null | undefined, unit: string): string {
  const text = number(value);
  return text === "–" || unit === "" || unit === "unit" ? text : `${text} ${unit}`;
}

/** How many microseconds, in which traces count, one unit of a system is. */
export function microseconds(unit: string): number {
  const known: Record<string, number> = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };
  return known[unit] ?? 1e3;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Anything out of a document as one line of text. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return number(value);
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${shown(inner)}`)
    .join(", ");
}

/** Round values between `low` and `high` for an axis, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low) || count < 1) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) ?? rough;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiplied, not added up: 0.1 added thirty times is not 3.
  return Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}
