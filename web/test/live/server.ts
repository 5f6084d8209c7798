/** A running `tactus serve` for tests. TACTUS is the program, EXAMPLES the folder of systems. */
import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const tactus = process.env.TACTUS ?? "tactus";
export const examples = process.env.EXAMPLES ?? "../examples";

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Asked {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  /** Without the token. */
  stranger?: boolean;
}

export class LiveServer {
  private constructor(
    readonly process: ChildProcess,
    readonly url: string,
    readonly port: number,
    readonly token: string,
    readonly folder: string,
    readonly file: string,
  ) {}

  /** Of a copy of an example, so that it may be saved. */
  static async start(example = "forklift.system.json", ...options: string[]): Promise<LiveServer> {
    const folder = mkdtempSync(join(tmpdir(), "tactus-live-"));
    const file = join(folder, example);
    copyFileSync(join(examples, example), file);
    const child = spawn(tactus, ["serve", file, "--port", "0", ...options], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const url = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stdout.on("data", (text: Buffer) => {
        said += text.toString();
        const found = /http:\S+#token=[0-9a-f]+\n/.exec(said)?.[0];
        if (found !== undefined) resolve(found.trim());
      });
      child.on("exit", (code) => {
        reject(new Error(`tactus serve ended with ${String(code)}: ${said}`));
      });
    });
    const { port, hash } = new URL(url);
    return new LiveServer(child, url, Number(port), hash.slice("#token=".length), folder, file);
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null)
      return this.process.exitCode;
    const ended = new Promise<number | null>((resolve) =>
      this.process.on("exit", (code) => {
        resolve(code);
      }),
    );
    this.process.kill(signal);
    const code = await ended;
    rmSync(this.folder, { recursive: true, force: true });
    return code;
  }

  ask(
    path: string,
    { method = "GET", body, headers = {}, stranger = false }: Asked = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          path,
          method,
          agent: false,
          headers: {
            ...(stranger ? {} : { "X-Tactus-Token": this.token }),
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
            ...headers,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => (text += piece));
          response.on("end", () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          });
          response.on("error", reject);
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.ask(path, { method: "POST", body: JSON.stringify(body) });
  }
}
