/** Questions to the server that served this page. */
import type { Report } from "../model";

export interface Problem {
  severity: "error" | "warning";
  message: string;
  document?: string;
  line?: number;
  column?: number;
}

export interface Answer<T> {
  /** As exit codes: 0 yes, 1 no, 2 bad input, 3 unknown. */
  status: number;
  document: T | null;
  problems: Problem[];
  trace?: unknown;
}

export interface JobState {
  job: number;
  question: string;
  state: "running" | "done";
  stopped: boolean;
  progress: string;
  milliseconds: number;
  answer?: Answer<unknown>;
}

export interface FileState {
  name: string | null;
  watch: boolean;
  revision?: string;
  text?: string;
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export class Client {
  constructor(private readonly token: string) {}

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.send("GET", path, undefined, signal)) as T;
  }

  async post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return (await this.send("POST", path, JSON.stringify(body), signal)) as T;
  }

  async stop(job: number): Promise<void> {
    await this.send("DELETE", `/api/jobs/${job}`);
  }

  /** The file, or null where it is still the one of that revision. */
  async file(revision?: string): Promise<FileState | null> {
    const headers: Record<string, string> = { "X-Tactus-Token": this.token };
    if (revision !== undefined) headers["If-None-Match"] = `"${revision}"`;
    const response = await fetch("/api/file", { headers });
    if (response.status === 304) return null;
    return (await this.contents(response)) as FileState;
  }

  report(
    documents: string[],
    names: string[],
    slack: boolean,
    signal?: AbortSignal,
  ): Promise<Answer<Report>> {
    return this.post("/api/report", { documents, names, slack }, signal);
  }

  private async send(
    method: string,
    path: string,
    body?: string,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const headers: Record<string, string> = { "X-Tactus-Token": this.token };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    });
    return this.contents(response);
  }

  private async contents(response: Response): Promise<unknown> {
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as unknown;
    let why = text;
    try {
      why = (JSON.parse(text) as { error?: string }).error ?? text;
    } catch {
      // Not from us: shown as it is.
    }
    throw new Refused(response.status, why);
  }
}

/** The token of the address, kept for this tab so that it need not stay in the address bar. */
export function takeToken(): string {
  const key = "tactus-token";
  const given = /^#token=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(key, given);
    history.replaceState(null, "", location.pathname);
  }
  return given ?? sessionStorage.getItem(key) ?? "";
}
