/** A headless browser for tests; whatever a page complains about fails its test. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { chromium, type Browser, type Page } from "playwright-core";

const path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

/** For `skip`: why there is none, or false. */
export const noBrowser = path === undefined ? "there is no chromium here" : false;

export async function launch(): Promise<Browser | undefined> {
  if (path === undefined) return undefined;
  return chromium.launch({ executablePath: path, args: ["--no-sandbox", "--disable-gpu"] });
}

/** What axe-core finds wrong with a page for people who do not see it, or use no mouse. */
export async function findings(page: Page): Promise<string[]> {
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(readFileSync(axe, "utf8"));
  return page.evaluate(async () => {
    interface Finding {
      id: string;
      nodes: { target: string[]; failureSummary: string }[];
    }
    const { axe: checker } = window as unknown as {
      axe: { run: () => Promise<{ violations: Finding[] }> };
    };
    const { violations } = await checker.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
  });
}

export interface Opening {
  width?: number;
  dark?: boolean;
  /** Addresses that the page may ask for. */
  allowed: RegExp;
  /** Complaints that belong to the test. */
  expected?: RegExp;
}

export async function open(
  t: TestContext,
  browser: Browser | undefined,
  url: string,
  { width = 1280, dark = false, allowed, expected }: Opening,
): Promise<Page> {
  assert.ok(browser);
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: dark ? "dark" : "light",
  });
  const complaints: string[] = [];
  const complain = (text: string): void => {
    if (!expected?.test(text)) complaints.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error") complain(message.text());
  });
  page.on("pageerror", (problem) => {
    complain(problem.message);
  });
  page.on("request", (request) => {
    if (!allowed.test(request.url())) complain(`asks for ${request.url()}`);
  });
  await page.goto(url);
  t.after(async () => {
    await page.close();
    assert.deepEqual(complaints, []);
  });
  return page;
}
