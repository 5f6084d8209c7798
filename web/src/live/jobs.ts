/** Questions that take long: started, watched, stopped. */
import { el } from "../dom";
import type { Answer, Client, JobState } from "./client";

const kOften = 250;

/** One line with the progress of a job, and a button that stops it. */
export class JobLine {
  readonly element = el("div", { class: "job", role: "status" });
  private stopped = false;

  constructor(
    private readonly client: Client,
    private readonly title: string,
  ) {}

  /** The answer; null where it could not be had (the line says why). */
  async run(question: string, body: unknown): Promise<Answer<unknown> | null> {
    try {
      const { job } = await this.client.post<{ job: number }>(`/api/jobs/${question}`, body);
      this.say("begins", job);
      for (;;) {
        const state = await this.client.get<JobState>(`/api/jobs/${job}`);
        if (state.state === "done") return this.finished(state);
        this.say(
          `${state.progress || "at work"} (${(state.milliseconds / 1000).toFixed(1)} s)`,
          job,
        );
        await new Promise((resolve) => setTimeout(resolve, kOften));
      }
    } catch (problem) {
      this.end(`failed: ${problem instanceof Error ? problem.message : String(problem)}`);
      return null;
    }
  }

  private finished(state: JobState): Answer<unknown> | null {
    const seconds = `${(state.milliseconds / 1000).toFixed(1)} s`;
    const answer = state.answer ?? null;
    const why = answer?.problems.map((one) => one.message).join("; ") ?? "";
    if (!answer || answer.document === null) this.end(`no answer${why ? `: ${why}` : ""}`);
    else this.end(state.stopped ? `stopped after ${seconds}` : `done in ${seconds}`);
    return answer;
  }

  private say(text: string, job: number): void {
    const stop = el(
      "button",
      {
        type: "button",
        click: () => {
          this.stopped = true;
          void this.client.stop(job);
        },
      },
      "Stop",
    );
    stop.disabled = this.stopped;
    this.element.replaceChildren(
      el("progress", { "aria-label": `${this.title} is running` }),
      ` ${this.title}: ${this.stopped ? "stopping" : text} `,
      stop,
    );
  }

  private end(text: string): void {
    this.element.replaceChildren(`${this.title}: ${text}`);
  }
}
