import { el, table } from "./dom";
import { number, time } from "./format";
import type { Explanation, SystemEntry, TaskVerdict, Verdict } from "./model";

type Term = Explanation["terms"][number];

function termsOf(entry: SystemEntry, verdict: Verdict, task: TaskVerdict): Term[] {
  const found = entry.explanations.find(
    (one) => one.method === verdict.method && one.task === task.task,
  );
  if (found) return found.terms;
  return Object.entries(task.terms).map(([term, amount]) => ({ term, amount, how: "" }));
}

/** Where a bound comes from: every term, how it was counted, and the sum. */
export function explain(entry: SystemEntry, verdict: Verdict, task: TaskVerdict): void {
  const unit = entry.system.time_unit;
  const terms = termsOf(entry, verdict, task);
  const box = el("dialog", { class: "explanation", "aria-labelledby": "explanation-title" });
  const close = el("button", {
    type: "button",
    click: () => {
      box.close();
    },
  });
  close.append("Close");
  const sum = task.bound ?? task.demand ?? null;
  box.append(
    el(
      "h3",
      { id: "explanation-title" },
      `${task.task} under ${verdict.method} (${verdict.variant})`,
    ),
    el(
      "p",
      {},
      task.bound === null
        ? `There is no bound${task.note === undefined ? "" : `: ${task.note}`}. `
        : `The bound R is ${time(task.bound, unit)}. `,
      task.deadline === null
        ? "The task has no deadline."
        : `The deadline is ${time(task.deadline, unit)}.`,
    ),
  );
  if (terms.length > 0) {
    box.append(
      el(
        "p",
        { class: "formula" },
        `R = ${terms.map((term) => number(term.amount)).join(" + ")} = ${number(sum)}`,
      ),
      table<Term>(
        task.bound === null ? "What the demand is made of" : "What the bound is made of",
        [
          { title: "term", of: (term) => term.term },
          {
            title: unit === "unit" ? "amount" : `amount, ${unit}`,
            of: (term) => number(term.amount),
            number: true,
          },
          { title: "how", of: (term) => el("span", { class: "formula" }, term.how) },
        ],
        terms,
      ),
    );
  }
  for (const note of [...verdict.warnings, ...verdict.notes])
    box.append(el("p", { class: "detail" }, note));
  box.append(close);
  box.addEventListener("close", () => {
    box.remove();
  });
  document.body.append(box);
  box.showModal();
}
