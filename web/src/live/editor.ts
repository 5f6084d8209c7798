/**
 * The text of the system: a text area (so that everything that people and screen readers know about
 * text areas works) over a painted copy of its text, which shows colours, line numbers and problems.
 */
import { el, visible } from "../dom";
import type { Problem } from "./client";
import { suggestions, type Schema, type Suggestion } from "./completion";
import { offsetOf } from "./json";

const kIndent = "  ";

/** The pieces of a line, with the class that colours each. */
export function pieces(line: string): { text: string; kind: string }[] {
  const token =
    /(\/\/.*)|("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|[^"/\d-]+|./g;
  const out: { text: string; kind: string }[] = [];
  for (const found of line.matchAll(token)) {
    const [all, comment, string, colon, number, word] = found;
    if (string !== undefined) {
      out.push({ text: string, kind: colon === undefined ? "string" : "key" });
      if (colon !== undefined) out.push({ text: colon, kind: "" });
    } else {
      const kind =
        comment !== undefined
          ? "comment"
          : number !== undefined
            ? "number"
            : word !== undefined
              ? "word"
              : "";
      out.push({ text: all, kind });
    }
  }
  return out;
}

export class Editor {
  readonly element: HTMLElement;
  readonly area: HTMLTextAreaElement;
  private readonly copy = el("pre", { class: "code-copy", "aria-hidden": "true" });
  private readonly list = el("ul", { class: "code-list", role: "listbox", hidden: true });
  private readonly problemList = el("ul", { class: "problems", role: "list" });
  private problems: Problem[] = [];
  private offered: { from: number; list: Suggestion[]; chosen: number } | null = null;

  constructor(
    /** Told of every change that the user makes here. */
    private readonly changed: (text: string, gesture: string) => void,
    private readonly schema: () => Schema | null,
    private readonly methods: () => string[],
  ) {
    this.area = el("textarea", {
      class: "code-text",
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      "aria-label": "The system as JSON",
      "aria-describedby": "problems",
    });
    this.problemList.id = "problems";
    this.problemList.setAttribute("aria-live", "polite");
    this.element = el(
      "div",
      { class: "code" },
      el("div", { class: "code-box" }, this.copy, this.area, this.list),
      this.problemList,
    );
    this.listen();
  }

  get text(): string {
    return this.area.value;
  }

  /** Shows another text; the cursor stays where it was. */
  show(text: string): void {
    if (text !== this.area.value) {
      const { selectionStart, scrollTop, scrollLeft } = this.area;
      this.area.value = text;
      this.area.setSelectionRange(selectionStart, selectionStart);
      this.area.scrollTo(scrollLeft, scrollTop);
    }
    this.paint();
  }

  mark(problems: Problem[]): void {
    this.problems = problems;
    const most = 50;
    const lines = problems.slice(0, most).map(({ severity, message, line, column }) => {
      const where = line === undefined ? "" : `${line}:${column ?? 1} `;
      const button = el(
        "button",
        {
          type: "button",
          class: `problem ${severity}`,
          click: () => {
            this.goTo(line ?? 1, column ?? 1);
          },
        },
        el("span", { class: "where" }, where),
        message,
      );
      return el("li", {}, button);
    });
    this.problemList.replaceChildren(...lines);
    if (problems.length > most)
      this.problemList.append(el("li", {}, `and ${problems.length - most} more`));
    if (problems.some((one) => one.severity === "error"))
      this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
    this.paint();
  }

  goTo(line: number, column: number): void {
    const offset = offsetOf(this.text, line, column);
    this.area.focus();
    this.area.setSelectionRange(offset, offset);
    const high = parseFloat(getComputedStyle(this.area).lineHeight) || 18;
    this.area.scrollTop = Math.max(0, (line - 4) * high);
    this.paint();
  }

  private paint(): void {
    const marked = new Map<number, Problem[]>();
    for (const problem of this.problems) {
      if (problem.line !== undefined)
        marked.set(problem.line, [...(marked.get(problem.line) ?? []), problem]);
    }
    const lines = this.text.split("\n").map((line, i) => {
      const own = marked.get(i + 1);
      const worst = own?.some((one) => one.severity === "error") ? "error" : "warning";
      const content = own
        ? this.marked(line, own)
        : pieces(line).map(({ text, kind }) =>
            kind === "" ? text : el("span", { class: `code-${kind}` }, text),
          );
      return el(
        "span",
        { class: own ? `code-line ${worst}` : "code-line", "data-line": i + 1 },
        ...content,
        own ? el("span", { class: "code-note" }, `  ${own[0]?.message ?? ""}`) : "",
        "\n",
      );
    });
    this.copy.replaceChildren(...lines);
    this.follow();
  }

  /** A line with problems: from each place to the end of its word. */
  private marked(line: string, problems: Problem[]): (Node | string)[] {
    const places = problems
      .map((one) => offsetOf(line, 1, one.column ?? 1))
      .sort((first, second) => first - second);
    const out: (Node | string)[] = [];
    let from = 0;
    for (const place of places) {
      if (place < from) continue;
      const word = /^(?:"(?:[^"\\]|\\.)*"?|[\w.+-]+|.)/.exec(line.slice(place))?.[0] ?? " ";
      out.push(visible(line.slice(from, place)), el("span", { class: "code-bad" }, word));
      from = place + word.length;
    }
    out.push(visible(line.slice(from)));
    return out;
  }

  private follow(): void {
    this.copy.style.setProperty(
      "transform",
      `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`,
    );
  }

  private replace(from: number, to: number, text: string): void {
    const { value } = this.area;
    this.area.value = value.slice(0, from) + text + value.slice(to);
    this.area.setSelectionRange(from + text.length, from + text.length);
    this.paint();
    this.changed(this.area.value, "");
  }

  private listen(): void {
    const { area } = this;
    area.addEventListener("scroll", () => {
      this.follow();
    });
    area.addEventListener("input", (event) => {
      this.paint();
      const kind = (event as InputEvent).inputType;
      this.changed(area.value, kind === "insertText" || kind.startsWith("delete") ? "typing" : "");
      const typed = (event as InputEvent).data;
      if (this.offered || typed === '"') this.offer();
    });
    area.addEventListener("blur", () => {
      this.hide();
    });
    area.addEventListener("keydown", (event) => {
      if (this.offered && this.keyInList(event)) {
        event.preventDefault();
        return;
      }
      if (event.key === " " && event.ctrlKey) {
        event.preventDefault();
        this.offer();
      } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
        const line = area.value.slice(0, area.selectionStart).split("\n").pop() ?? "";
        const indent = /^\s*/.exec(line)?.[0] ?? "";
        event.preventDefault();
        const deeper = /[{[]\s*$/.test(line) ? kIndent : "";
        this.replace(area.selectionStart, area.selectionEnd, `\n${indent}${deeper}`);
      }
    });
  }

  private keyInList(event: KeyboardEvent): boolean {
    const offered = this.offered;
    if (!offered) return false;
    const count = offered.list.length;
    switch (event.key) {
      case "ArrowDown":
        offered.chosen = (offered.chosen + 1) % count;
        break;
      case "ArrowUp":
        offered.chosen = (offered.chosen + count - 1) % count;
        break;
      case "Enter":
      case "Tab":
        this.accept(offered.chosen);
        return true;
      case "Escape":
        this.hide();
        return true;
      default:
        return false;
    }
    this.showList();
    return true;
  }

  private offer(): void {
    const schema = this.schema();
    const found =
      schema && suggestions(this.text, this.area.selectionStart, schema, this.methods());
    if (!found || found.list.length === 0) {
      this.hide();
      return;
    }
    this.offered = { from: found.place.from, list: found.list.slice(0, 40), chosen: 0 };
    this.showList();
  }

  private showList(): void {
    const { offered } = this;
    if (!offered) return;
    this.list.replaceChildren(
      ...offered.list.map((one, i) =>
        el(
          "li",
          {
            role: "option",
            id: `offer-${i}`,
            "aria-selected": i === offered.chosen ? "true" : "false",
            pointerdown: (event: PointerEvent) => {
              event.preventDefault(); // the text keeps the focus
              this.accept(i);
            },
          },
          el("strong", {}, one.label),
          " ",
          el("span", { class: "detail" }, one.about),
        ),
      ),
    );
    this.list.hidden = false;
    this.area.setAttribute("aria-activedescendant", `offer-${offered.chosen}`);
    const line = this.text.slice(0, this.area.selectionStart).split("\n").length;
    const high = parseFloat(getComputedStyle(this.area).lineHeight) || 18;
    this.list.style.setProperty("top", `${line * high + 10 - this.area.scrollTop}px`);
    this.list.children[offered.chosen]?.scrollIntoView({ block: "nearest" });
  }

  private accept(place: number): void {
    const { offered } = this;
    const one = offered?.list[place];
    if (!offered || !one) return;
    this.hide();
    const end = this.area.selectionEnd;
    // A quotation mark that closes what was typed goes with it.
    const rest = this.text.slice(end);
    const closing = this.text[offered.from] === '"' && /^"\s*(?:[:,}\]]|$)/.test(rest) ? 1 : 0;
    this.replace(offered.from, end + closing, one.text);
  }

  private hide(): void {
    this.offered = null;
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }
}
