/** The arbiter of this machine, live: which client has the GPU, who waits, what went wrong. */
import { ColourByName } from "../colours";
import { el, section, svg, table } from "../dom";
import type { Answer, Client } from "./client";

export interface ArbiterClient {
  client: number;
  pid: number;
  name: string;
  state: "running" | "pending" | "idle" | "off" | "silent";
  priority: number | null;
  tier: string;
  segments: number;
  preemptions: number;
  off_ns: number;
  wait_max_ns: number;
  late: number;
  shared: number;
  overstays: number;
}

export interface Arbiter {
  rule: string;
  begins: number;
  updates: number;
  late: number;
  shared: number;
  update_max_ns: number;
  update_mean_ns: number;
  safe_arbiter: boolean;
  why_not?: string;
  clients: ArbiterClient[];
}

/** A task of `tactus watch --json`. */
interface WatchedTask {
  task: string;
  state: string;
  jobs: number;
  outside: number;
  longest: number;
  bound: number | null;
  deadline: number | null;
  room?: number;
}

interface Watched {
  status: string;
  tasks: WatchedTask[];
  departures: { text: string; count: number }[];
  room?: string;
}

export interface Sample {
  at: number;
  clients: { id: string; state: ArbiterClient["state"] }[];
}

export interface Span {
  from: number;
  to: number;
  state: ArbiterClient["state"];
}

/** Samples as spans of one state, per client. A state holds until the next sample. */
export function spansOf(samples: Sample[]): Map<string, Span[]> {
  const out = new Map<string, Span[]>();
  samples.forEach((sample, i) => {
    const to = samples[i + 1]?.at ?? sample.at;
    for (const { id, state } of sample.clients) {
      const own = out.get(id) ?? [];
      out.set(id, own);
      const last = own[own.length - 1];
      if (last?.state === state && last.to === sample.at) last.to = to;
      else own.push({ from: sample.at, to, state });
    }
  });
  return out;
}

const kOften = 500;
const kShown = 60_000;

export class ArbiterView {
  readonly element: HTMLElement;
  private readonly content = el("div", { "aria-live": "off" });
  private readonly watched = el("div", { "aria-live": "off" });
  private readonly colours = new ColourByName();
  private samples: Sample[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly client: Client) {
    const open = el("details", {}, el("summary", {}, "Watch it"), this.watched, this.content);
    open.addEventListener("toggle", () => {
      clearTimeout(this.timer);
      if (open.open) void this.look();
    });
    this.element = section("arbiter", "The arbiter of this machine", open);
  }

  private async look(): Promise<void> {
    try {
      const answer = await this.client.get<Answer<Arbiter>>("/api/arbiter");
      if (answer.document) this.show(answer.document);
      else this.say(answer.problems.map((one) => one.message).join("; "));
      const seen = await this.client.get<Answer<Watched>>("/api/watch");
      this.watched.replaceChildren(...(seen.document ? this.tasks(seen.document) : []));
    } catch (problem) {
      this.say(problem instanceof Error ? problem.message : String(problem));
    }
    this.timer = setTimeout(() => void this.look(), kOften);
  }

  /** Who runs as was proved: a row per task, its bound, what was seen, and what room is left. */
  private tasks(seen: Watched): HTMLElement[] {
    const time = (value: number | null): string => (value === null ? "–" : value.toFixed(3));
    return [
      el("p", { class: seen.departures.length > 0 ? "bad" : "" }, `${seen.status}.`),
      table<WatchedTask>(
        "Tasks",
        [
          { title: "task", of: (one) => one.task },
          { title: "jobs", of: (one) => String(one.jobs), number: true },
          { title: "outside", of: (one) => String(one.outside), number: true },
          { title: "longest", of: (one) => time(one.longest), number: true },
          { title: "bound", of: (one) => time(one.bound), number: true },
          { title: "deadline", of: (one) => time(one.deadline), number: true },
          {
            title: "room",
            of: (one) => (one.room === undefined ? "–" : `${(one.room * 100).toFixed(1)} %`),
            number: true,
          },
          {
            title: "state",
            of: (one) => el("span", { class: one.state === "covered" ? "" : "bad" }, one.state),
          },
        ],
        seen.tasks,
      ),
      ...seen.departures.map((one) =>
        el("p", { class: "bad" }, `Outside the model, ${one.count} times: ${one.text}.`),
      ),
      ...(seen.departures.length > 0 && seen.room ? [el("p", {}, `${seen.room}.`)] : []),
    ];
  }

  private say(text: string): void {
    this.samples = [];
    this.content.replaceChildren(el("p", { class: "detail" }, text));
  }

  private show(arbiter: Arbiter): void {
    const now = Date.now();
    const id = (one: ArbiterClient): string => `${one.client} ${one.name}`;
    this.samples.push({
      at: now,
      clients: arbiter.clients.map((one) => ({ id: id(one), state: one.state })),
    });
    this.samples = this.samples.filter((sample) => sample.at > now - kShown);
    const us = (ns: number): string => `${Math.ceil(ns / 1000)} us`;
    this.content.replaceChildren(
      el(
        "p",
        {},
        `Rule ${arbiter.rule}; ${arbiter.begins} begins, ${arbiter.updates} updates (worst ${us(arbiter.update_max_ns)}, mean ${us(arbiter.update_mean_ns)}), ${arbiter.late} late, ${arbiter.shared} shared.`,
      ),
      el(
        "p",
        { class: arbiter.safe_arbiter ? "detail" : "bad" },
        arbiter.safe_arbiter
          ? "The assumption of the variant safe-arbiter holds."
          : `The assumption of the variant safe-arbiter does not hold: ${arbiter.why_not ?? ""}.`,
      ),
      this.chart(now),
      table<ArbiterClient>(
        "Clients",
        [
          { title: "client", of: (one) => one.name },
          { title: "pid", of: (one) => String(one.pid), number: true },
          { title: "priority", of: (one) => String(one.priority ?? "–"), number: true },
          {
            title: "state",
            of: (one) => el("span", { class: one.state === "silent" ? "bad" : "" }, one.state),
          },
          { title: "tier", of: (one) => one.tier },
          { title: "segments", of: (one) => String(one.segments), number: true },
          { title: "preempted", of: (one) => String(one.preemptions), number: true },
          { title: "worst wait", of: (one) => us(one.wait_max_ns), number: true },
          { title: "late", of: (one) => String(one.late), number: true },
          { title: "shared", of: (one) => String(one.shared), number: true },
          { title: "overstayed", of: (one) => String(one.overstays), number: true },
        ],
        arbiter.clients,
      ),
    );
  }

  /** Who had the GPU in the last minute: full where a client ran, pale where it waited. */
  private chart(now: number): HTMLElement {
    const spans = spansOf(this.samples);
    const width = 900;
    const left = 150;
    const high = 22;
    const x = (time: number): number => left + ((time - (now - kShown)) / kShown) * (width - left);
    const rows = [...spans].flatMap(([name, own], row) => [
      svg("text", { x: 4, y: row * high + 15 }, name),
      ...own
        .filter((span) => span.state === "running" || span.state === "pending")
        .map((span) =>
          svg("rect", {
            x: x(span.from),
            y: row * high + 3,
            width: Math.max(1, x(span.to) - x(span.from)),
            height: high - 6,
            fill: this.colours.of(name),
            opacity: span.state === "running" ? 1 : 0.3,
          }),
        ),
    ]);
    return el(
      "figure",
      { class: "ownership" },
      svg(
        "svg",
        {
          class: "chart",
          viewBox: `0 0 ${width} ${Math.max(1, spans.size) * high}`,
          role: "img",
          "aria-label":
            "Which client had the GPU in the last minute; the table below has the numbers",
        },
        ...rows,
      ),
      el("figcaption", { class: "detail" }, "The last minute; pale: waiting"),
    );
  }
}
