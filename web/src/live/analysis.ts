/** Asks for the report of a text; only the newest question counts, older ones are cancelled. */
import type { Report } from "../model";
import { Refused, type Answer, type Client } from "./client";

export interface Analysed {
  text: string;
  answer: Answer<Report>;
  milliseconds: number;
}

export class Analyser {
  private current: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly client: Client,
    private readonly name: () => string,
    private readonly done: (analysed: Analysed) => void,
    private readonly failed: (why: string) => void,
  ) {}

  /** @param after milliseconds without a newer text */
  ask(text: string, after = 0): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.now(text), after);
  }

  private async now(text: string): Promise<void> {
    this.current?.abort(); // the server notices, and stops
    const own = new AbortController();
    this.current = own;
    const began = performance.now();
    try {
      const answer = await this.client.report([text], [this.name()], false, own.signal);
      if (own.signal.aborted) return;
      this.done({ text, answer, milliseconds: performance.now() - began });
    } catch (problem) {
      if (own.signal.aborted) return;
      this.failed(
        problem instanceof Refused
          ? problem.message
          : "the server does not answer; it may have ended",
      );
    }
  }
}
