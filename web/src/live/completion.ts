/** What may stand at a place of a system file, from its JSON Schema. */
import { at, member, parse, textOf } from "./json";

export interface Schema {
  description?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** Where a cursor is, found from the text before it alone, which need not be whole. */
export interface Place {
  /** Keys and places in lists that lead here. */
  path: (string | number)[];
  kind: "key" | "value";
  /** What has been typed of it, and where that begins. */
  typed: string;
  from: number;
  quoted: boolean;
  /** The keys that the object has before it. */
  before: string[];
}

interface Frame {
  object: boolean;
  key: string;
  keys: string[];
  count: number;
  /** In an object: is a key next? */
  wantsKey: boolean;
}

export function placeAt(text: string, cursor: number): Place | null {
  const frames: Frame[] = [];
  const token =
    /\s+|\/\/[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"/]+|\//y;
  let position = 0;
  let open: { text: string; from: number; quoted: boolean } | null = null;
  while (position < cursor) {
    token.lastIndex = position;
    const found = token.exec(text);
    if (!found) return null;
    const word = found[0];
    const from = position;
    position = token.lastIndex;
    if (position > cursor || (position === cursor && /^[^\s{}[\],:]/.test(word))) {
      const done = word.length > 1 && word.startsWith('"') && word.endsWith('"');
      if (word.startsWith("//") || word.startsWith("/*")) return null;
      if (/^\s/.test(word)) break;
      if (done && position === cursor) return null;
      const quoted = word.startsWith('"');
      open = { text: text.slice(from + (quoted ? 1 : 0), cursor), from, quoted };
      break;
    }
    const frame = frames[frames.length - 1];
    if (word === "{" || word === "[") {
      frames.push({ object: word === "{", key: "", keys: [], count: 0, wantsKey: word === "{" });
    } else if (word === "}" || word === "]") {
      frames.pop();
    } else if (word === ",") {
      if (frame) {
        ++frame.count;
        frame.wantsKey = frame.object;
      }
    } else if (word === ":") {
      if (frame) frame.wantsKey = false;
    } else if (word.startsWith('"') && frame?.wantsKey) {
      frame.key = word.slice(1, word.endsWith('"') ? -1 : undefined);
      frame.keys.push(frame.key);
    }
  }
  const last = frames[frames.length - 1];
  if (!last) return null;
  const path = frames
    .slice(0, -1)
    .map((frame): string | number => (frame.object ? frame.key : frame.count));
  const kind = last.object && last.wantsKey ? "key" : "value";
  if (kind === "value") path.push(last.object ? last.key : last.count);
  return {
    path,
    kind,
    typed: open?.text ?? "",
    from: open?.from ?? cursor,
    quoted: open?.quoted ?? false,
    before: last.keys,
  };
}

function schemaAt(schema: Schema, path: (string | number)[]): Schema | undefined {
  let here: Schema | undefined = schema;
  for (const step of path) here = typeof step === "number" ? here?.items : here?.properties?.[step];
  return here;
}

export interface Suggestion {
  /** What is put into the text. */
  text: string;
  label: string;
  about: string;
}

/** Names that a file itself gives: elements, tasks, nodes of the task around the cursor. */
function namesFor(text: string, place: Place, methods: string[]): string[] {
  const key = place.path.filter((step) => typeof step === "string").pop();
  if (key === "method") return methods;
  const root = parse(text) ?? parse(`${text.slice(0, place.from)}null${text.slice(place.from)}`);
  const names = (list: (string | number)[]): string[] =>
    (at(root, list)?.items ?? []).flatMap((item) => textOf(member(item, "name")) ?? []);
  if (key === "on") return names(["platform", "elements"]);
  if (key === "edges" && place.path[0] === "tasks")
    return names([...place.path.slice(0, 2), "nodes"]);
  if (key === "tasks" && place.path[0] === "batches") return names(["tasks"]);
  return [];
}

export function suggestions(
  text: string,
  cursor: number,
  schema: Schema,
  methods: string[] = [],
): { place: Place; list: Suggestion[] } | null {
  const place = placeAt(text, cursor);
  if (!place) return null;
  const here = schemaAt(schema, place.path);
  const fits = (word: string): boolean => word.toLowerCase().startsWith(place.typed.toLowerCase());
  if (place.kind === "key") {
    const list = Object.entries(here?.properties ?? {})
      .filter(([key]) => fits(key) && !place.before.includes(key))
      .map(([key, about]) => ({
        text: `${JSON.stringify(key)}: `,
        label: key,
        about: about.description ?? "",
      }));
    return { place, list };
  }
  const given = here?.enum ?? (here?.const !== undefined ? [here.const] : []);
  const values = here?.type === "boolean" ? [true, false] : given;
  const own = namesFor(text, place, methods);
  const list = [...values, ...own]
    .filter((value) => fits(String(value)))
    .map((value) => ({
      text: JSON.stringify(value),
      label: String(value),
      about: here?.description ?? "",
    }));
  return { place, list };
}
