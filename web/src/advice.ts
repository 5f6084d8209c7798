import { el, section, table } from "./dom";
import { number, shown } from "./format";
import type { Advice, AdviceOption, From } from "./model";

function changes(option: AdviceOption): string {
  return Object.entries(option.to_change)
    .map(([path, change]) => `${path}: ${shown(change.from)} → ${shown(change.to)}`)
    .join("; ");
}

export function adviceView(from: From<Advice>, id: string): HTMLElement {
  const advice = from.document;
  return section(
    id,
    "Advice",
    el("p", { class: `verdict ${advice.found ? "good" : "bad"}` }, advice.conclusion),
    table<AdviceOption>(
      "Ways to run it, the one with most room first",
      [
        { title: "method", of: (option) => `${option.method} (${option.variant})` },
        {
          title: "proved",
          of: (option) =>
            el("span", { class: option.proved ? "good" : "bad" }, option.proved ? "✓ yes" : "✕ no"),
        },
        { title: "all times may grow", of: (option) => `× ${number(option.factor)}`, number: true },
        { title: "limited by", of: (option) => option.limited_by ?? "–" },
        { title: "cores", of: (option) => number(option.cores), number: true },
        { title: "SMs", of: (option) => number(option.sms), number: true },
        { title: "needs", of: (option) => option.needs },
        { title: "to change", of: changes },
      ],
      advice.options,
    ),
    el("p", { class: "source" }, `For ${advice.system}; from ${from.file}`),
  );
}
