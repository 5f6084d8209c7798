/** Texts to go back to. Changes of one gesture (a slider that is dragged, typing) are one step. */
export class History {
  private readonly steps: string[];
  private place = 0;
  private gesture = "";

  constructor(text: string) {
    this.steps = [text];
  }

  get text(): string {
    return this.steps[this.place] ?? "";
  }

  /** @param gesture changes of the same one, one after the other, are one step; "" is never one */
  change(text: string, gesture = ""): void {
    if (text === this.text) return;
    const goesOn = gesture !== "" && gesture === this.gesture && this.place > 0;
    this.steps.length = this.place + 1;
    if (goesOn) this.steps[this.place] = text;
    else this.place = this.steps.push(text) - 1;
    this.gesture = gesture;
    const most = 500;
    if (this.steps.length > most)
      this.place -= this.steps.splice(0, this.steps.length - most).length;
  }

  /** The gesture is over: the next change is a step of its own. */
  settle(): void {
    this.gesture = "";
  }

  undo(): boolean {
    this.settle();
    if (this.place === 0) return false;
    --this.place;
    return true;
  }

  redo(): boolean {
    this.settle();
    if (this.place + 1 >= this.steps.length) return false;
    ++this.place;
    return true;
  }

  get canUndo(): boolean {
    return this.place > 0;
  }

  get canRedo(): boolean {
    return this.place + 1 < this.steps.length;
  }
}
