import { el, section, type Child } from "./dom";
import { number, percent, used } from "./format";
import { answerOf } from "./judge";
import type { MethodInfo, SystemEntry } from "./model";
import { chainsView } from "./pipelines";

function fact(name: string, value: Child, detail: string): HTMLElement {
  return el(
    "div",
    { class: "fact" },
    el("dt", {}, name),
    el("dd", {}, el("span", { class: "figure" }, value), el("span", { class: "detail" }, detail)),
  );
}

const marks = { good: "✓", bad: "✕", open: "!" };

/** The answer, before everything else. */
export function answerView(entry: SystemEntry, methods: MethodInfo[], id: string): HTMLElement {
  const answer = answerOf(entry, methods);
  const facts = el("dl", { class: "facts" });
  if (answer.chosen) {
    facts.append(
      fact(
        "Method",
        `${answer.chosen.method} (${answer.chosen.variant})`,
        answer.method ? `${answer.method.title}; ${answer.why}` : answer.why,
      ),
    );
  }
  if (answer.limiting) {
    const { kind, name, slack } = answer.limiting;
    const whole = kind === "task" ? "its deadline" : "what it may take";
    facts.append(
      fact(
        `Limiting ${kind}`,
        name,
        slack === null
          ? "it has no bound"
          : slack < 0
            ? `${percent(-slack)} of ${whole} too much`
            : `${percent(slack)} of ${whole} is left`,
      ),
    );
  }
  if (answer.growth !== null) {
    const growth = answer.growth - 1;
    facts.append(
      fact(
        "Slack",
        `× ${number(answer.growth)}`,
        growth >= 0
          ? `all times may grow by ${percent(growth)} and every deadline still holds`
          : `all times must shrink by ${used(-growth)} before every deadline holds`,
      ),
    );
  }
  facts.append(
    fact(
      "Methods",
      `${answer.proofs} of ${answer.applicable}`,
      "that cover the system prove every deadline",
    ),
  );
  return section(
    id,
    [
      el("span", { class: "of" }, entry.system.name),
      el(
        "span",
        { class: `verdict ${answer.tone}` },
        el("span", { class: "mark", "aria-hidden": "true" }, marks[answer.tone]),
        answer.words,
      ),
    ],
    facts,
    ...chainsView(entry.system, answer.chosen),
    el(
      "details",
      { open: true },
      el("summary", {}, "What this rests on, and what it does not cover"),
      el(
        "ul",
        {},
        ...answer.conditions.map(({ holds, what, help }) =>
          el(
            "li",
            { class: "condition" },
            `${holds === "no" ? "Not so: " : "Not known: "}${what}`,
            el("span", { class: "detail" }, help),
          ),
        ),
        ...answer.assumptions.map((text) => el("li", {}, text)),
        answer.beyond !== "" && el("li", {}, `Not covered: ${answer.beyond}.`),
      ),
    ),
    el("p", { class: "source" }, `From ${entry.file}`),
  );
}
