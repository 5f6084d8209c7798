import { el, visible } from "./dom";

/** What floats beside the pointer or the focus: one box for the whole page. */
let box: HTMLElement | undefined;

function place(x: number, y: number): void {
  if (!box) return;
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(4, Math.min(x + 14, window.innerWidth - width - 4));
  const below = y + 18;
  const top = below + height < window.innerHeight ? below : Math.max(4, y - height - 10);
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${top}px`);
}

export function showTip(lines: string[], x: number, y: number): void {
  if (!box) {
    box = el("div", { class: "tip", role: "tooltip", id: "tip" });
    document.body.append(box);
  }
  box.replaceChildren(...lines.map((line, i) => el(i === 0 ? "strong" : "div", {}, line)));
  box.hidden = false;
  place(x, y);
}

export function hideTip(): void {
  if (box) box.hidden = true;
}

/**
 * The lines appear when the pointer or the keyboard is on the node; the same text is its name for
 * screen readers.
 */
export function tip(node: HTMLElement | SVGElement, lines: () => string[]): void {
  node.setAttribute("aria-label", visible(lines().join("; ")));
  const plain = node instanceof HTMLSpanElement || node instanceof SVGElement;
  if (plain && !node.hasAttribute("role")) node.setAttribute("role", "img");
  node.addEventListener("pointermove", (event) => {
    showTip(lines(), (event as PointerEvent).clientX, (event as PointerEvent).clientY);
  });
  node.addEventListener("pointerleave", hideTip);
  node.addEventListener("focus", () => {
    const { left, bottom } = node.getBoundingClientRect();
    showTip(lines(), left, bottom);
  });
  node.addEventListener("blur", hideTip);
}
