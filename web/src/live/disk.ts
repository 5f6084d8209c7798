/** The file on the disk: loading, saving, and following it with --watch. */
import { el } from "../dom";
import { Refused, type Client, type FileState } from "./client";
import { kNewSystem } from "./template";

const kOften = 1000;

export class Disk {
  readonly notice = el("p", { class: "notice", role: "status" });
  name: string | null = null;
  private revision = "";
  private saved = "";

  constructor(
    private readonly client: Client,
    /** Shows a text that came from the file. */
    private readonly load: (text: string) => void,
    private readonly current: () => string,
  ) {}

  get dirty(): boolean {
    return this.current() !== this.saved;
  }

  /** The text to begin with. */
  async open(): Promise<string> {
    const file = await this.client.file();
    this.take(file ?? { name: null, watch: false });
    if (file?.watch) this.follow();
    return this.saved;
  }

  async save(): Promise<void> {
    if (this.name === null) {
      this.download();
      return;
    }
    const text = this.current();
    try {
      const { revision } = await this.client.post<{ revision: string }>("/api/save", {
        text,
        revision: this.revision,
      });
      this.revision = revision;
      this.saved = text;
      this.say(`Saved to ${this.name}.`);
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 409) await this.conflict();
      else this.say(`Not saved: ${problem instanceof Error ? problem.message : String(problem)}`);
    }
  }

  say(text: string, ...actions: [string, () => void][]): void {
    const buttons = actions.map(([label, act]) =>
      el(
        "button",
        {
          type: "button",
          click: () => {
            this.notice.replaceChildren();
            act();
          },
        },
        label,
      ),
    );
    this.notice.replaceChildren(text, ...buttons);
  }

  private take(file: FileState): void {
    this.name = file.name;
    this.revision = file.revision ?? "";
    this.saved = file.text ?? kNewSystem;
  }

  /** The file is another than the one that was loaded: the user decides. */
  private async conflict(): Promise<void> {
    const file = await this.client.file();
    if (!file) return;
    this.say(
      `${file.name ?? "The file"} was changed by another program.`,
      [
        "Load it",
        () => {
          this.take(file);
          this.load(this.saved);
        },
      ],
      [
        "Keep mine",
        () => {
          this.revision = file.revision ?? "";
          this.saved = file.text ?? "";
        },
      ],
    );
  }

  private follow(): void {
    const look = async (): Promise<void> => {
      try {
        const file = await this.client.file(this.revision);
        if (file && file.revision !== this.revision) {
          if (this.dirty) {
            await this.conflict();
            this.revision = file.revision ?? ""; // asked once per change
          } else {
            this.take(file);
            this.load(this.saved);
            this.say(`${file.name ?? "The file"} was changed, and loaded again.`);
          }
        }
      } catch {
        // The next analysis says that the server is gone.
      }
      setTimeout(() => void look(), kOften);
    };
    setTimeout(() => void look(), kOften);
  }

  private download(): void {
    const url = URL.createObjectURL(new Blob([this.current()], { type: "application/json" }));
    el("a", { href: url, download: "new.system.json" }).click();
    URL.revokeObjectURL(url);
    this.saved = this.current();
  }
}
