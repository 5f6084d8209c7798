/**
 * Elements made by hand. Everything that comes from a file goes through text nodes and attributes
 * that are never markup, so a task may be called `<script>`.
 */
export type Child = Node | string | null | undefined | false;

type Value = string | number | boolean | undefined | ((event: never) => void);

export interface Attributes {
  [name: string]: Value | Record<string, string>;
  /** Set one by one: the page forbids style attributes. */
  style?: Record<string, string>;
}

function fill(node: HTMLElement | SVGElement, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "object") {
      for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    } else if (typeof value === "function") {
      node.addEventListener(name, value as (event: Event) => void);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    node.append(typeof child === "string" ? visible(child) : child);
  }
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(node, attributes, children);
  return node;
}

/** Control characters cannot be seen, and could hide what a name is: they are shown as pictures. */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (c) => {
      const code = c.charCodeAt(0);
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
    },
  );
}

export interface Column<T> {
  title: string;
  of: (row: T) => Child | Child[];
  /** Numbers stand right, so that their digits can be compared. */
  number?: boolean;
}

/** A table that scrolls inside of itself where the window is narrow. */
export function table<T>(caption: string, columns: Column<T>[], rows: Iterable<T>): HTMLElement {
  const align = (column: Column<T>): Attributes => (column.number ? { class: "number" } : {});
  const body = el("tbody");
  for (const row of rows) {
    const line = el("tr");
    columns.forEach((column, place) => {
      const content = column.of(row);
      const children = Array.isArray(content) ? content : [content];
      line.append(
        place === 0
          ? el("th", { ...align(column), scope: "row" }, ...children)
          : el("td", align(column), ...children),
      );
    });
    body.append(line);
  }
  const heads = columns.map((column) => el("th", { ...align(column), scope: "col" }, column.title));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": visible(caption) },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads)), body),
  );
}

/** A spot of colour, and what has it. */
export function named(colour: string, name: string): HTMLElement {
  return el(
    "span",
    { class: "named" },
    el("span", { class: "swatch", style: { background: colour }, "aria-hidden": "true" }),
    el("span", {}, name),
  );
}

/** A part of the page with a heading that the navigation links to. */
export function section(id: string, title: string | Child[], ...children: Child[]): HTMLElement {
  return el(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, ...(typeof title === "string" ? [title] : title)),
    ...children,
  );
}

/** One chosen out of several; `choose` is called at once with the first. */
export function chooser(
  label: string,
  choices: string[],
  choose: (place: number) => void,
  first = 0,
): HTMLElement {
  const list = el("select", {
    change: () => {
      choose(list.selectedIndex);
    },
  });
  for (const choice of choices) list.append(el("option", {}, choice));
  list.selectedIndex = first;
  choose(first);
  return el("label", { class: "chooser" }, `${label} `, list);
}
