/**
 * The page: sections made from one joined document. `mount` may be called again with another
 * document; nothing here knows where the document came from.
 */
import { adviceView } from "./advice";
import { answerView } from "./answer";
import { barsView } from "./bars";
import { usePalette } from "./colours";
import { el, section, type Child } from "./dom";
import { matrixView } from "./matrix";
import type { Report, SystemEntry } from "./model";
import { observedView } from "./observed";
import { planView } from "./plan";
import { slackView } from "./slack";
import { systemView } from "./system";

function systemParts(entry: SystemEntry, report: Report, id: string): Child[] {
  return [
    answerView(entry, report.methods, `${id}answer`),
    systemView(entry, `${id}system`),
    matrixView(entry, report.methods, `${id}methods`),
    barsView(entry, report.methods, `${id}bounds`),
    slackView(entry.slack, entry.sweep, entry.system, `${id}slack`),
  ];
}

/** The system of that name; a trace, which names none, belongs to the only one there is. */
function systemOf(report: Report, name: string): SystemEntry | undefined {
  return report.systems.find((entry) => entry.system.name === name);
}

function partsOf(report: Report): Child[] {
  const parts: Child[] = [];
  report.systems.forEach((entry, i) =>
    parts.push(...systemParts(entry, report, i === 0 ? "" : `s${i}-`)),
  );
  report.plans.forEach((plan, i) => parts.push(planView(plan, null, `plan${i}`)));
  report.observed.forEach((observed, i) => {
    const unit = systemOf(report, observed.document.system)?.system.time_unit ?? "";
    parts.push(observedView(observed, unit, `observed${i}`));
  });
  report.slacks.forEach((slack, i) => {
    const system = systemOf(report, slack.document.system)?.system;
    parts.push(
      slackView(slack.document, undefined, system, `slack${i}`, `Slack from ${slack.file}`),
    );
  });
  report.sweeps.forEach((sweep, i) => {
    const system = systemOf(report, sweep.document.system)?.system;
    parts.push(
      slackView(undefined, sweep.document, system, `sweep${i}`, `Sweep from ${sweep.file}`),
    );
  });
  report.advice.forEach((advice, i) => parts.push(adviceView(advice, `advice${i}`)));
  return parts;
}

function navigation(parts: Child[]): HTMLElement {
  const list = el("ul");
  for (const part of parts) {
    if (!(part instanceof HTMLElement)) continue;
    const title = part.querySelector("h2")?.textContent ?? part.id;
    list.append(el("li", {}, el("a", { href: `#${part.id}` }, title)));
  }
  return el("nav", { "aria-label": "Sections" }, list);
}

export function mount(root: HTMLElement, report: Report): void {
  usePalette(report.palette);
  const parts = partsOf(report);
  const names = report.systems.map((entry) => entry.system.name);
  root.replaceChildren(
    el("a", { class: "skip", href: "#content" }, "To the content"),
    el("header", {}, el("p", { class: "brand" }, "Tactus"), navigation(parts)),
    el(
      "main",
      { id: "content", tabindex: -1 },
      el("h1", { class: "title" }, names.length > 0 ? names.join(", ") : "Report"),
      ...(parts.length > 0 ? parts : [section("empty", "Nothing to show")]),
    ),
    el(
      "footer",
      {},
      el("p", {}, `Made by tactus ${report.version}. This page loads nothing from elsewhere.`),
    ),
  );
}
