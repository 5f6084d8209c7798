/** Editor, form, jobs and results, held together by one text. */
import { el, visible } from "../dom";
import { percent, plural } from "../format";
import { answerOf } from "../judge";
import type { Report } from "../model";
import { navigation, partsOf } from "../page";
import { Analyser, type Analysed } from "./analysis";
import { ArbiterView } from "./arbiter";
import type { Client } from "./client";
import { compareView } from "./compare";
import type { Schema } from "./completion";
import { Disk } from "./disk";
import { Editor } from "./editor";
import { Form } from "./form";
import { History } from "./history";
import { JobLine } from "./jobs";
import { joined, kept, type Extra } from "./results";

/** Typing is let finish; a slider is not. */
const kTypingPause = 150;
/** Jobs of the slowest task up to which a run is drawn; longer ones are only counted. */
const kMostDrawn = 2000;

export class Workbench {
  private history = new History("");
  private readonly editor: Editor;
  private readonly form: Form;
  private readonly disk: Disk;
  private readonly analyser: Analyser;
  private readonly arbiter: ArbiterView;
  private readonly status = el("p", { class: "live-status", role: "status" });
  private readonly results = el("div", { id: "results" });
  private readonly lines = el("div", { class: "jobs" });
  private readonly nav = el("div");
  private readonly undo = this.button("Undo", "Undo (Ctrl+Z)", () => {
    this.travel(this.history.undo());
  });
  private readonly redo = this.button("Redo", "Redo (Ctrl+Shift+Z)", () => {
    this.travel(this.history.redo());
  });
  private readonly keep = this.button(
    "Keep to compare",
    "Compare later versions with this one",
    () => {
      this.kept = this.report ? { report: this.report, text: this.reportText } : null;
      this.draw();
    },
  );
  private readonly save = this.button(
    "Save",
    "Save to the file (Ctrl+S)",
    () => void this.disk.save(),
  );
  private readonly method = el("select");
  private methodChosen = false; // by a person
  private readonly scenario = el("select");
  private readonly jobs = el("input", { type: "number", min: 1, max: 10000, value: 20 });
  private readonly target = el("select");
  private readonly vary = el("select");
  private schema: Schema | null = null;
  private report: Report | null = null;
  private reportText = "";
  private extras: Extra[] = [];
  private kept: { report: Report; text: string } | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly client: Client,
  ) {
    this.editor = new Editor(
      (text, gesture) => {
        this.change(text, gesture, kTypingPause);
      },
      () => this.schema,
      () => this.report?.catalogue.methods.map((one) => one.id) ?? [],
    );
    this.form = new Form(
      (text, gesture) => {
        this.change(text, gesture, 0);
      },
      () => {
        this.history.settle();
      },
    );
    this.disk = new Disk(
      client,
      (text) => {
        this.change(text, "", 0);
      },
      () => this.history.text,
    );
    this.analyser = new Analyser(
      client,
      () => this.disk.name ?? "new.system.json",
      (analysed) => {
        this.show(analysed);
      },
      (why) => {
        this.say("bad", `No answer: ${why}`);
      },
    );
    this.arbiter = new ArbiterView(client);
    this.method.addEventListener("change", () => {
      this.methodChosen = true;
    });
  }

  async start(): Promise<void> {
    this.layout();
    this.listen();
    try {
      const text = await this.disk.open();
      this.history = new History(text);
      document.title = `${visible(this.disk.name ?? "new")}: Tactus`;
      this.refresh();
      this.analyser.ask(text);
      this.schema = await this.client.get<Schema>("/api/schema");
    } catch (problem) {
      this.say("bad", problem instanceof Error ? problem.message : String(problem));
    }
  }

  private button(text: string, title: string, act: () => void): HTMLButtonElement {
    return el("button", { type: "button", title, click: act }, text);
  }

  private layout(): void {
    for (const words of ["sync,worst", "sporadic,uniform", "random,early", "burst,worst"])
      this.scenario.append(el("option", {}, words));
    for (const [value, words] of [
      ["any", "any way to run it"],
      ["tactusd", "an arbiter (tactusd)"],
      ["partitions", "SMs divided"],
      ["tables", "tables of batches"],
    ] as const)
      this.target.append(el("option", { value }, words));
    for (const [value, words] of [
      ["", "what the file leaves open"],
      ["cores", "cores"],
      ["cores,priorities,gpu-priorities", "cores and priorities"],
      ["sms", "fewer SMs"],
    ] as const)
      this.vary.append(el("option", { value }, words));
    this.root.replaceChildren(
      el("a", { class: "skip", href: "#results" }, "To the results"),
      el("header", {}, el("p", { class: "brand" }, "Tactus"), this.status, this.nav),
      el(
        "main",
        { id: "content", tabindex: -1 },
        el("h1", { class: "title" }, "Edit a system"),
        el(
          "div",
          { class: "tools", role: "toolbar", "aria-label": "System" },
          this.save,
          this.undo,
          this.redo,
          this.keep,
          this.disk.notice,
        ),
        el(
          "div",
          { class: "bench" },
          el(
            "div",
            { class: "source-pane" },
            this.tabs([
              ["Text", this.editor.element],
              ["Form", this.form.element],
            ]),
            this.editor.element,
            this.form.element,
          ),
          el("div", { class: "result-pane" }, this.questions(), this.lines, this.results),
        ),
        this.arbiter.element,
      ),
    );
  }

  /** Two views of one document, of which one is seen. */
  private tabs(views: [string, HTMLElement][]): HTMLElement {
    const buttons: HTMLButtonElement[] = [];
    const choose = (chosen: number): void => {
      views.forEach(([, view], i) => (view.hidden = i !== chosen));
      buttons.forEach((button, i) => {
        button.setAttribute("aria-selected", String(i === chosen));
        button.tabIndex = i === chosen ? 0 : -1;
      });
    };
    views.forEach(([name, view], place) => {
      const id = `view-${name.toLowerCase()}`;
      view.id = id;
      view.setAttribute("role", "tabpanel");
      view.setAttribute("aria-label", name);
      buttons.push(
        el(
          "button",
          {
            type: "button",
            role: "tab",
            "aria-controls": id,
            click: () => {
              choose(place);
            },
          },
          name,
        ),
      );
    });
    const list = el(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "The system" },
      ...buttons,
    );
    list.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const now = buttons.findIndex((one) => one.tabIndex === 0);
      const next = (now + (event.key === "ArrowRight" ? 1 : buttons.length - 1)) % buttons.length;
      choose(next);
      buttons[next]?.focus();
    });
    choose(0);
    return list;
  }

  private questions(): HTMLElement {
    const labelled = (words: string, control: HTMLElement): HTMLElement =>
      el("label", {}, el("span", {}, words), control);
    return el(
      "details",
      { class: "questions" },
      el("summary", {}, "Ask: slack, advice, a plan, a simulated run"),
      el(
        "div",
        { class: "tools", role: "group", "aria-label": "Slack" },
        this.button("Slack", "How far may the values go?", () => void this.askSlack()),
      ),
      el(
        "div",
        { class: "tools", role: "group", "aria-label": "Advice" },
        labelled("Run by", this.target),
        labelled("Change", this.vary),
        this.button("Advise", "Which way to run it leaves most room?", () => void this.askAdvice()),
      ),
      el(
        "div",
        { class: "tools", role: "group", "aria-label": "Plan and run" },
        labelled("Method to plan or simulate", this.method),
        this.button("Plan", "The plan of the method", () => void this.askPlan()),
        labelled("Scenario", this.scenario),
        labelled("Jobs of the slowest task", this.jobs),
        this.button("Simulate", "What would happen?", () => void this.askRun()),
      ),
    );
  }

  private listen(): void {
    window.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      const key = event.key.toLowerCase();
      if (key === "s") void this.disk.save();
      else if (key === "z" && !event.shiftKey) this.travel(this.history.undo());
      else if (key === "y" || key === "z") this.travel(this.history.redo());
      else return;
      event.preventDefault();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.disk.dirty) event.preventDefault();
    });
  }

  private change(text: string, gesture: string, pause: number): void {
    this.history.change(text, gesture);
    this.refresh();
    this.analyser.ask(text, pause);
  }

  private travel(moved: boolean): void {
    if (!moved) return;
    this.refresh();
    this.analyser.ask(this.history.text);
  }

  /** Shows the text wherever it is shown. */
  private refresh(): void {
    const { text } = this.history;
    this.editor.show(text);
    this.form.show(text);
    this.undo.disabled = !this.history.canUndo;
    this.redo.disabled = !this.history.canRedo;
    const dirty = this.disk.dirty;
    this.save.textContent = this.disk.name === null ? "Download" : dirty ? "Save •" : "Save";
  }

  private say(kind: "good" | "bad" | "open", text: string): void {
    this.status.className = `live-status ${kind}`;
    this.status.replaceChildren(visible(text));
  }

  private show({ text, answer, milliseconds }: Analysed): void {
    this.editor.mark(answer.problems);
    if (!answer.document) {
      const errors = answer.problems.filter((one) => one.severity === "error").length;
      this.say("bad", `${plural(errors, "error")} in the file; the results below are older`);
      this.results.classList.add("stale");
      return;
    }
    this.results.classList.remove("stale");
    this.report = answer.document;
    this.reportText = text;
    this.draw();
    const [entry] = answer.document.systems;
    if (!entry) return;
    const said = answerOf(entry, answer.document.catalogue.methods);
    const room =
      said.limiting && said.limiting.slack !== null
        ? `, ${percent(said.limiting.slack)} left (${said.limiting.name})`
        : "";
    this.say(said.tone, `${said.words}${said.chosen ? `: ${said.chosen.method}` : ""}${room}`);
    this.status.title = `answered in ${Math.round(milliseconds)} ms`;
  }

  /** Paints the results again; what was opened stays open. */
  private draw(): void {
    const { report } = this;
    if (!report) return;
    const opened = new Set(
      [...this.results.querySelectorAll("details[open] > summary")].map((one) => one.textContent),
    );
    const parts = partsOf(joined(report, this.extras, this.reportText));
    if (this.kept)
      parts.unshift(compareView(this.kept.report, this.kept.text, report, this.reportText));
    const height = this.results.offsetHeight;
    this.results.style.setProperty("min-height", `${height}px`); // the window must not jump
    this.results.replaceChildren(...parts.filter((one): one is Node => one instanceof Node));
    this.results.style.removeProperty("min-height");
    for (const one of this.results.querySelectorAll("details > summary")) {
      // What the verdict rests on is folded here, so that the bounds are seen while a value is turned.
      const folded = one.closest("#answer") !== null;
      if (opened.has(one.textContent)) one.parentElement?.setAttribute("open", "");
      else if (folded) one.parentElement?.removeAttribute("open");
    }
    this.nav.replaceChildren(navigation([...parts, this.arbiter.element]));
    this.offerMethods(report);
  }

  private offerMethods(report: Report): void {
    const covering = (report.systems[0]?.analysis.methods ?? [])
      .filter((one) => one.status !== "not-applicable")
      .map((one) => one.method);
    const [entry] = report.systems;
    const usual = entry ? answerOf(entry, report.catalogue.methods).chosen?.method : undefined;
    // What a person chose stays; else it is the method that the answer is about.
    const wanted = this.methodChosen ? this.method.value : (usual ?? "");
    if (covering.join() !== [...this.method.options].map((one) => one.value).join())
      this.method.replaceChildren(...covering.map((id) => el("option", {}, id)));
    if (covering.includes(wanted)) this.method.value = wanted;
  }

  private line(title: string): JobLine {
    const line = new JobLine(this.client, title);
    this.lines.prepend(line.element);
    while (this.lines.childElementCount > 4) this.lines.lastElementChild?.remove();
    return line;
  }

  private add(extra: Extra): void {
    this.extras = kept(this.extras, extra);
    this.draw();
    const place = {
      plan: "plan0",
      simulation: extra.trace === undefined ? "observed0" : "trace0",
      advice: "advice0",
    }[extra.kind];
    document.getElementById(place)?.scrollIntoView({ behavior: "smooth" });
  }

  private async askSlack(): Promise<void> {
    const { text } = this.history;
    const name = this.disk.name ?? "new.system.json";
    const answer = await this.line("Slack").run("report", {
      documents: [text],
      names: [name],
      slack: true,
    });
    if (!answer?.document || text !== this.history.text) return;
    this.report = answer.document as Report;
    this.reportText = text;
    this.draw();
    document.getElementById("slack")?.scrollIntoView({ behavior: "smooth" });
  }

  private async askAdvice(): Promise<void> {
    const { text } = this.history;
    const request = {
      target: this.target.value,
      ...(this.vary.value === "" ? {} : { vary: this.vary.value.split(",") }),
    };
    const answer = await this.line("Advise").run("advise", { system: text, request });
    if (!answer?.document) return;
    this.add({ kind: "advice", title: "the job", text, document: answer.document });
  }

  private async askPlan(): Promise<void> {
    const { text } = this.history;
    const method = this.method.value;
    const answer = await this.line(`Plan of ${method}`).run("plan", {
      system: text,
      request: { method },
    });
    if (!answer?.document) return;
    this.add({ kind: "plan", title: `plan of ${method}`, text, document: answer.document });
  }

  private async askRun(): Promise<void> {
    const { text } = this.history;
    const method = this.method.value;
    const scenario = this.scenario.value;
    const jobs = Math.max(1, Math.round(Number(this.jobs.value)) || 1);
    const answer = await this.line(`Simulation of ${method}`).run("simulate", {
      system: text,
      request: { method, scenario, jobs },
      trace: jobs <= kMostDrawn,
    });
    if (!answer?.document) return;
    this.add({
      kind: "simulation",
      title: `simulation of ${method}, ${scenario}`,
      text,
      document: answer.document,
      trace: answer.trace,
    });
  }
}
