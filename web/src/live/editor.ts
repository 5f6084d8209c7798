/** The text of the system, in CodeMirror; what is wrong with it stands at its place and below. */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentService,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { el } from "../dom";
import type { Problem } from "./client";
import { suggestions, type Schema } from "./completion";
import { offsetOf } from "./json";

const kMostProblems = 50;

/** Set on changes that come from elsewhere: from the form, from undo, from the disk. */
const fromElsewhere = Annotation.define<boolean>();

const language = StreamLanguage.define<{ comment: boolean }>({
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment || stream.match("/*")) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^\/\/.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\]|\\.)*"(?=\s*:)/)) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "bool";
    stream.next();
    return null;
  },
});

/** As deep as the line before, and one step more behind an opening bracket. */
const indentation = indentService.of((context, position) => {
  const before = context.lineAt(position, -1).text;
  const own = /^\s*/.exec(before)?.[0].length ?? 0;
  return own + (/[{[]\s*$/.test(before) ? context.unit : 0);
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "light-dark(#005a8f, #7cc4f2)" },
  { tag: tags.string, color: "light-dark(#00664b, #45d0a5)" },
  { tag: [tags.number, tags.bool], color: "light-dark(#8a4b00, #f2c14e)" },
  { tag: tags.comment, color: "var(--soft)" },
]);

// Inside a shadow root, where the styles of the page do not reach (and need no inline style sheet).
const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--panel)" },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "-2px" },
  ".cm-scroller": {
    font: '13px/18px ui-monospace, "DejaVu Sans Mono", monospace',
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--soft)", border: "0" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "light-dark(rgb(0 114 178 / 25%), rgb(86 180 233 / 35%))",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--ground)",
    color: "var(--ink)",
    border: "1px solid var(--rule)",
    borderRadius: "6px",
    fontSize: "13px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "light-dark(#d8ebf8, #24425a)",
    color: "var(--ink)",
  },
});

export class Editor {
  readonly element: HTMLElement;
  private readonly box = el("div", { class: "code-box" });
  private readonly problemList = el("ul", { class: "problems", role: "list" });
  private readonly view: EditorView;
  private shown = "";

  constructor(
    /** Told of every change that the user makes here. */
    private readonly changed: (text: string, gesture: string) => void,
    private readonly schema: () => Schema | null,
    private readonly methods: () => string[],
  ) {
    this.problemList.setAttribute("aria-live", "polite");
    const root = this.box.attachShadow({ mode: "open" });
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          lintGutter(),
          drawSelection(),
          bracketMatching(),
          indentation,
          language,
          syntaxHighlighting(colours),
          autocompletion({ override: [(context) => this.offer(context)], icons: false }),
          keymap.of(defaultKeymap),
          look,
          EditorView.contentAttributes.of({ "aria-label": "The system as JSON", tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            this.shown = update.state.doc.toString();
            if (update.transactions.some((one) => one.annotation(fromElsewhere))) return;
            const typing = update.transactions.some(
              (one) => one.isUserEvent("input.type") || one.isUserEvent("delete"),
            );
            this.changed(this.shown, typing ? "typing" : "");
          }),
        ],
      }),
    });
    this.element = el("div", { class: "code" }, this.box, this.problemList);
  }

  /** Shows another text; the cursor stays where it was. */
  show(text: string): void {
    const old = this.shown;
    if (text === old) return;
    const most = Math.min(text.length, old.length);
    let begin = 0;
    while (begin < most && text[begin] === old[begin]) ++begin;
    let end = 0;
    while (end < most - begin && text[text.length - 1 - end] === old[old.length - 1 - end]) ++end;
    this.view.dispatch({
      changes: {
        from: begin,
        to: old.length - end,
        insert: text.slice(begin, text.length - end),
      },
      annotations: fromElsewhere.of(true),
    });
  }

  mark(problems: Problem[]): void {
    const { doc } = this.view.state;
    const places = problems.flatMap(({ severity, message, line, column }) => {
      if (line === undefined) return [];
      const from = Math.min(doc.length, offsetOf(this.shown, line, column ?? 1));
      const rest = this.shown.slice(from, from + 200);
      const word = /^(?:"(?:[^"\\]|\\.)*"?|[\w.+-]+|.)/.exec(rest)?.[0].length ?? 0;
      return [
        { from, to: from + word, severity: severity === "error" ? severity : "warning", message },
      ] as const;
    });
    this.view.dispatch(setDiagnostics(this.view.state, places));
    const lines = problems.slice(0, kMostProblems).map(({ severity, message, line, column }) => {
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
    if (problems.length > kMostProblems)
      this.problemList.append(el("li", {}, `and ${problems.length - kMostProblems} more`));
    this.view.contentDOM.toggleAttribute(
      "aria-invalid",
      problems.some((one) => one.severity === "error"),
    );
  }

  goTo(line: number, column: number): void {
    const anchor = Math.min(this.view.state.doc.length, offsetOf(this.shown, line, column));
    this.view.dispatch({
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
    });
    this.view.focus();
  }

  private offer(context: CompletionContext): CompletionResult | null {
    const schema = this.schema();
    const found = schema && suggestions(this.shown, context.pos, schema, this.methods());
    if (!found || found.list.length === 0) return null;
    if (!context.explicit && !found.place.quoted) return null;
    return {
      from: found.place.from,
      filter: false,
      options: found.list.map((one) => ({
        label: one.label,
        detail: one.about,
        apply: (view: EditorView, _: unknown, from: number, to: number) => {
          // A quotation mark that closes what was typed goes with it.
          const rest = view.state.sliceDoc(to, to + 20);
          const closing =
            view.state.sliceDoc(from, from + 1) === '"' && /^"\s*(?:[:,}\]]|$)/.test(rest);
          view.dispatch({
            changes: { from, to: to + (closing ? 1 : 0), insert: one.text },
            selection: { anchor: from + one.text.length },
            userEvent: "input.complete",
          });
        },
      })),
    };
  }
}
