import { el, section, table, type Child } from "./dom";
import { number, shown } from "./format";
import type { Advice, AdviceOption, From } from "./model";

/** What the one with most room needs, and what it changes in the file. */
function firstView(option: AdviceOption | undefined): Child[] {
  if (!option) return [];
  const changed = Object.entries(option.to_change);
  return [
    el("p", {}, `${option.method} needs ${option.needs}.`),
    changed.length > 0 &&
      el(
        "details",
        { open: changed.length <= 12 },
        el("summary", {}, "What changes in the file"),
        table<(typeof changed)[number]>(
          `For ${option.method}`,
          [
            { title: "value", of: ([path]) => path },
            { title: "from", of: ([, change]) => shown(change.from), number: true },
            { title: "to", of: ([, change]) => shown(change.to), number: true },
          ],
          changed,
        ),
      ),
  ];
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
        { title: "all times", of: (option) => `× ${number(option.factor)}`, number: true },
        { title: "limited by", of: (option) => option.limited_by ?? "–" },
        { title: "cores", of: (option) => number(option.cores), number: true },
        { title: "SMs", of: (option) => number(option.sms), number: true },
        { title: "run by", of: (option) => option.run_by },
      ],
      advice.options,
    ),
    ...firstView(advice.options[0]),
    el("p", { class: "source" }, `For ${advice.system}; from ${from.file}`),
  );
}
