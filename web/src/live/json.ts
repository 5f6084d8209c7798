/**
 * JSON with the place of every value, so that a form can change one number and leave the rest of a
 * hand-written file as it is: its comments, its order, its line breaks.
 */
import { parseTree, type Node, type ParseError } from "jsonc-parser";

export interface Value {
  kind: "object" | "array" | "string" | "number" | "word";
  start: number;
  end: number;
  /** Of a string, its contents; of a number or word, its text. */
  text: string;
  members: Member[];
  items: Value[];
}

export interface Member {
  key: string;
  keyStart: number;
  value: Value;
}

/** Deeper than any file of ours; a tree is walked by recursion. */
const kDeepest = 64;

function valueOf(node: Node, text: string, depth: number): Value | null {
  if (depth > kDeepest) return null;
  const start = node.offset;
  const end = node.offset + node.length;
  const value: Value = { kind: "word", start, end, text: "", members: [], items: [] };
  switch (node.type) {
    case "object":
      value.kind = "object";
      for (const property of node.children ?? []) {
        const [key, own] = property.children ?? [];
        const inner = own && valueOf(own, text, depth + 1);
        if (!key || !inner) return null;
        value.members.push({ key: String(key.value), keyStart: key.offset, value: inner });
      }
      break;
    case "array":
      value.kind = "array";
      for (const item of node.children ?? []) {
        const inner = valueOf(item, text, depth + 1);
        if (!inner) return null;
        value.items.push(inner);
      }
      break;
    case "string":
      value.kind = "string";
      value.text = String(node.value);
      break;
    default:
      value.kind = node.type === "number" ? "number" : "word";
      value.text = text.slice(start, end);
  }
  return value;
}

/** The values of a text with their places; null where it is not JSON. */
export function parse(text: string): Value | null {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: false });
    return root && errors.length === 0 ? valueOf(root, text, 0) : null;
  } catch (problem) {
    if (problem instanceof RangeError) return null; // it is nested too deeply to be read
    throw problem;
  }
}

export function member(value: Value | undefined, key: string): Value | undefined {
  return value?.members.find((one) => one.key === key)?.value;
}

export function textOf(value: Value | undefined): string | undefined {
  return value?.kind === "string" ? value.text : undefined;
}

export function numberOf(value: Value | undefined): number | undefined {
  return value?.kind === "number" ? Number(value.text) : undefined;
}

/** A value at the end of a path of keys and places in lists. */
export function at(value: Value | null, path: (string | number)[]): Value | undefined {
  let here = value ?? undefined;
  for (const step of path) {
    here = typeof step === "number" ? here?.items[step] : member(here, step);
  }
  return here;
}

/** The text with the member of an object set; a new one is put behind the last. */
export function withMember(text: string, object: Value, key: string, value: string): string {
  const own = member(object, key);
  if (own) return text.slice(0, own.start) + value + text.slice(own.end);
  const last = object.members[object.members.length - 1];
  const place = last ? last.value.end : object.start + 1;
  const added = `${last ? ", " : " "}${JSON.stringify(key)}: ${value}`;
  return text.slice(0, place) + added + text.slice(place);
}

/** The text without a member of an object, and without the comma that belongs to it. */
export function withoutMember(text: string, object: Value, key: string): string {
  const place = object.members.findIndex((one) => one.key === key);
  const own = object.members[place];
  if (!own) return text;
  const next = object.members[place + 1];
  const before = object.members[place - 1];
  if (next) return text.slice(0, own.keyStart) + text.slice(next.keyStart);
  return text.slice(0, before ? before.value.end : own.keyStart) + text.slice(own.value.end);
}

/** The text with an item, as it is written, behind the last of a list. */
export function withItem(text: string, list: Value, item: string): string {
  const last = list.items[list.items.length - 1];
  const place = last ? last.end : list.start + 1;
  return `${text.slice(0, place)}${last ? ",\n    " : ""}${item}${text.slice(place)}`;
}

/** The text without one item of a list, and without the comma that belongs to it. */
export function withoutItem(text: string, list: Value, place: number): string {
  const own = list.items[place];
  if (!own) return text;
  const next = list.items[place + 1];
  const before = list.items[place - 1];
  if (next) return text.slice(0, own.start) + text.slice(next.start);
  return text.slice(0, before ? before.end : own.start) + text.slice(own.end);
}

/** The text with a copy of an item behind it, under another name. */
export function withCopy(text: string, list: Value, place: number): string {
  const own = list.items[place];
  if (!own) return text;
  const names = new Set(list.items.map((item) => textOf(member(item, "name"))));
  const base = textOf(member(own, "name")) ?? "copy";
  let count = 2;
  while (names.has(`${base} ${count}`)) ++count;
  const copy = text.slice(own.start, own.end);
  const inner = parse(copy);
  const renamed = inner
    ? withMember(copy, inner, "name", JSON.stringify(`${base} ${count}`))
    : copy;
  return `${text.slice(0, own.end)},\n    ${renamed}${text.slice(own.end)}`;
}

/** Where a line and a column (both from 1; columns count characters) are in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let i = 1; i < line; ++i) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  let place = start;
  for (let i = 1; i < column && place < text.length && text[place] !== "\n"; ++i) {
    place += (text.codePointAt(place) ?? 0) > 0xffff ? 2 : 1;
  }
  return place;
}
