/** The live page in a real browser. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test, { after, before, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findings, launch, noBrowser as skip, open } from "../browser";
import { LiveServer } from "./server";

let browser: Browser | undefined;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
});

interface Place {
  width?: number;
  dark?: boolean;
  expected?: RegExp;
  server?: LiveServer;
}

/** A server of its own, and its page when the first answer is there. */
async function started(
  t: TestContext,
  { server: given, ...place }: Place = {},
  ...options: string[]
): Promise<{ server: LiveServer; page: Page }> {
  const server = given ?? (await LiveServer.start("forklift.system.json", ...options));
  const allowed = new RegExp(`^(http://127\\.0\\.0\\.1:${server.port}/|data:|blob:)`);
  const page = await open(t, browser, server.url, { ...place, allowed });
  if (!given) t.after(() => server.end()); // after the page is closed, which would complain
  await page.locator("#answer").waitFor();
  return { server, page };
}

const status = (page: Page): Promise<string> => page.locator(".live-status").innerText();

/** Waits for the verdict that a change leads to. */
async function until(page: Page, pattern: RegExp): Promise<void> {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector(".live-status")?.textContent ?? ""),
    pattern.source,
  );
}

/** The text in the editor, whose lines are all painted as long as it is short. */
const textIn = (page: Page): Promise<string> =>
  page
    .locator(".cm-content")
    .evaluate((one) =>
      [...one.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"),
    );

async function type(page: Page, change: (text: string) => string): Promise<void> {
  const text = change(await textIn(page));
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

const form = (page: Page): Promise<void> => page.getByRole("tab", { name: "Form" }).click();
const ask = (page: Page): Promise<void> => page.locator(".questions > summary").click();

test("editing the text changes the verdict, and undo brings it back", { skip }, async (t) => {
  const { page } = await started(t);
  assert.match(await status(page), /Every deadline is proved/);
  await type(page, (text) =>
    text.replace('"detect", "on": "gpu", "wcet": 9', '"detect", "on": "gpu", "wcet": 90'),
  );
  await until(page, /Not every deadline is proved/);
  assert.match(await page.locator("#answer").innerText(), /Not every deadline is proved/);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+z");
  await until(page, /^Every deadline is proved/);
  await page.keyboard.press("Control+Shift+z");
  await until(page, /Not every deadline/);
});

test("the method to simulate is the one that the file deploys", { skip }, async (t) => {
  const { page } = await started(t);
  await type(page, (text) =>
    text.replace(/\}\s*$/, ', "deploy": { "method": "mpcp.suspend", "variant": "safe" } }'),
  );
  await until(page, /: mpcp\.suspend/);
  await ask(page);
  const choice = page.getByLabel("Method to plan or simulate");
  assert.equal(await choice.inputValue(), "mpcp.suspend");
  await choice.selectOption("gcaps.busy"); // what a person chooses stays
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+z");
  await until(page, /^(?!.*mpcp)/);
  assert.equal(await choice.inputValue(), "gcaps.busy");
});

test("a slider changes the text in its place, and nothing else of it", { skip }, async (t) => {
  const { server, page } = await started(t);
  const before = readFileSync(server.file, "utf8");
  await form(page);
  const slider = page.getByLabel("wcet of detect on gpu, slider");
  await slider.focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
  const text = await textIn(page);
  assert.equal(
    text,
    before.replace('"detect", "on": "gpu", "wcet": 9', '"detect", "on": "gpu", "wcet": 9.3'),
  );
  await slider.press("End"); // its deadline
  await until(page, /Not every deadline is proved|proved: /);
  assert.match(await textIn(page), /"detect", "on": "gpu", "wcet": 33\.3/);
  assert.equal(readFileSync(server.file, "utf8"), before); // nothing is saved by itself
});

test("what starts a task, and a chain, are made in the form", { skip }, async (t) => {
  const { page } = await started(t);
  await form(page);
  await page.getByLabel("what starts planner").selectOption("camera");
  const text = (): Promise<string> => textIn(page);
  interface Read {
    tasks: { name: string; after?: string; period?: number }[];
    chains: { name: string; tasks: string[] }[];
  }
  const planner = async (): Promise<Read["tasks"][0] | undefined> =>
    (JSON.parse(await text()) as Read).tasks.find(({ name }) => name === "planner");
  assert.equal((await planner())?.after, "camera");
  assert.equal((await planner())?.period, undefined);
  await page.getByLabel("what starts planner").selectOption("");
  assert.equal((await planner())?.after, undefined);
  assert.equal((await planner())?.period, 33.3);
  await page.getByRole("tab", { name: "Form" }).focus(); // undo covers both views
  for (let i = 0; i < 2; ++i) await page.keyboard.press("Control+z");
  assert.equal((await planner())?.period, 200);
  await page.getByRole("button", { name: "Add a chain" }).click();
  await page.getByLabel("take motor out of the chain").click();
  const read = JSON.parse(await text()) as Read;
  assert.deepEqual(read.chains, [
    { name: "chain 1", tasks: ["camera", "lidar", "depth", "planner"] },
  ]);
  await page.getByLabel("phases").selectOption("fixed");
  assert.match(await text(), /"phases": "fixed"/);
  await until(page, /Every deadline is proved/);
  await page.locator("#answer .chains .piece").first().waitFor(); // the chain has a row
});

test("an error appears at its line, and a click on it goes there", { skip }, async (t) => {
  const { page } = await started(t);
  await type(page, (text) => text.replace('"period": 100', '"peroid": 100'));
  await until(page, /1 error/);
  assert.equal(await page.locator(".cm-lintRange-error").innerText(), '"peroid"');
  assert.match(await page.locator(".problem").innerText(), /did you mean `period`/);
  await page.locator(".problem").click();
  await page.keyboard.press("Shift+End");
  const at = await page.evaluate(() => {
    const root = document.querySelector(".code-box")?.shadowRoot as unknown as Document;
    return String(root.getSelection());
  });
  assert.ok(at.startsWith('"peroid"'), at.slice(0, 20));
  await page.locator("#results.stale").waitFor();
});

test("keys and names are completed from the schema", { skip }, async (t) => {
  const { page } = await started(t);
  await page.waitForTimeout(2000); // the schema is on its way
  await page.locator(".cm-line", { hasText: '"priority": 40' }).click();
  await page.keyboard.press("Home");
  await page.keyboard.type('"dea');
  await page.locator(".cm-tooltip-autocomplete li[aria-selected]").waitFor();
  assert.match(
    await page.locator(".cm-tooltip-autocomplete li[aria-selected]").innerText(),
    /^deadline/,
  );
  await page.waitForTimeout(300); // what is shown is not taken at once, lest a key be meant for the text
  await page.keyboard.press("Enter");
  await page.keyboard.type("30, ");
  assert.match(await textIn(page), /"deadline": 30, "priority": 40/);
  await until(page, /deadline/);
  assert.equal(await page.locator(".cm-lintRange-error").count(), 0);
});

test("a long file is typed into as fast as a short one", { skip }, async (t) => {
  const { page } = await started(t);
  const task = (k: number): string =>
    `{ "name": "t${k}", "period": 1000, "core": 1,\n  "nodes": [\n    { "name": "n", "on": "cpu", "wcet": 0.001 } ] }`;
  const tasks = Array.from({ length: 250 }, (_, k) => task(k)).join(",\n");
  await type(page, (text) => text.replace('"tasks": [', `"tasks": [\n${tasks},`));
  await page.locator(".cm-line").first().waitFor();
  // Only what is seen is in the page.
  assert.ok((await page.locator(".cm-line").count()) < 300);
});

test("a run is simulated and drawn, slack and advice are jobs", { skip }, async (t) => {
  const { page } = await started(t);
  await ask(page);
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.locator("#trace0 canvas.gantt").waitFor();
  assert.match(await page.locator("#observed0").innerText(), /camera/);
  await page.getByRole("button", { name: "Slack", exact: true }).click();
  await page.locator("#slack").waitFor();
  await page.getByRole("button", { name: "Advise" }).click();
  await page.locator("#advice0").waitFor({ timeout: 120_000 });
  assert.match(await page.locator(".jobs").innerText(), /Advise: done in/);
});

test("a job that takes long can be stopped", { skip }, async (t) => {
  const { page } = await started(t);
  await ask(page);
  await page.getByLabel("Jobs of the slowest task").fill("100000000");
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.waitForFunction(() =>
    /stopped after/.test(document.querySelector(".jobs")?.textContent ?? ""),
  );
});

test("two versions are compared value by value and bound by bound", { skip }, async (t) => {
  const { page } = await started(t);
  await page.getByRole("button", { name: "Keep to compare" }).click();
  await type(page, (text) => text.replace('"wcet": 14', '"wcet": 15'));
  await page.waitForFunction(() =>
    /depth › nodes › stereo › wcet\s+14\s+15/.test(
      document.querySelector<HTMLElement>("#compare")?.innerText ?? "",
    ),
  );
  assert.match(await page.locator("#compare").innerText(), /Bounds under/);
});

test("saving is an explicit action", { skip }, async (t) => {
  const { server, page } = await started(t);
  await type(page, (text) => text.replace('"period": 100', '"period": 101'));
  await until(page, /Every deadline/);
  assert.match(readFileSync(server.file, "utf8"), /"period": 100/);
  await page.keyboard.press("Control+s");
  await page.waitForFunction(() =>
    /Saved to forklift/.test(document.querySelector(".notice")?.textContent ?? ""),
  );
  assert.match(readFileSync(server.file, "utf8"), /"period": 101/);
});

test(
  "with --watch the page follows the file, and asks before it drops changes",
  { skip },
  async (t) => {
    const { server, page } = await started(t, {}, "--watch");
    const text = readFileSync(server.file, "utf8");
    writeFileSync(server.file, text.replace('"wcet": 14', '"wcet": 13'));
    await page.locator(".cm-line", { hasText: '"wcet": 13' }).first().waitFor();
    await type(page, (now) => now.replace('"wcet": 13', '"wcet": 12'));
    writeFileSync(server.file, text.replace('"wcet": 14', '"wcet": 11'));
    await page.getByRole("button", { name: "Load it" }).waitFor();
    assert.match(await textIn(page), /"wcet": 12/);
    await page.getByRole("button", { name: "Load it" }).click();
    assert.match(await textIn(page), /"wcet": 11/);
  },
);

test("two tabs of one file: the one that saves second is told", { skip }, async (t) => {
  const { server, page } = await started(t, { expected: /409/ });
  const { page: second } = await started(t, { server, expected: /409/ });
  await type(page, (text) => text.replace('"period": 100', '"period": 90'));
  await page.keyboard.press("Control+s");
  await page.waitForFunction(() =>
    /Saved/.test(document.querySelector(".notice")?.textContent ?? ""),
  );
  await type(second, (text) => text.replace('"period": 100', '"period": 80'));
  await second.keyboard.press("Control+s");
  await second.getByRole("button", { name: "Keep mine" }).click();
  assert.match(readFileSync(server.file, "utf8"), /"period": 90/);
  await second.keyboard.press("Control+s");
  await second.waitForFunction(() =>
    /Saved/.test(document.querySelector(".notice")?.textContent ?? ""),
  );
  assert.match(readFileSync(server.file, "utf8"), /"period": 80/);
  await second.close(); // else it asks a server that has ended
});

test(
  "when the server is killed in the middle of a question, the page says so and keeps the text",
  { skip },
  async (t) => {
    const { server, page } = await started(t, { expected: /ERR_|Failed to load/ });
    await ask(page);
    await page.getByLabel("Jobs of the slowest task").fill("100000000");
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await server.end("SIGKILL");
    await page.waitForFunction(() =>
      /failed/.test(document.querySelector(".jobs")?.textContent ?? ""),
    );
    await type(page, (text) => text.replace('"period": 100', '"period": 90'));
    await until(page, /the server does not answer/);
    assert.match(await textIn(page), /"period": 90/);
  },
);

test("without the token the page says what to do", { skip }, async (t) => {
  const server = await LiveServer.start();
  t.after(() => server.end());
  const page = await open(t, browser, `http://127.0.0.1:${server.port}/`, {
    allowed: /./,
    expected: /401/,
  });
  await until(page, /open the address that tactus serve printed/);
});

test("names are text, whatever is in them", { skip }, async (t) => {
  const { page } = await started(t);
  const hostile = `</pre><img src=x onerror=alert(1)><script>document.title="owned"</script>'`;
  await type(page, (text) =>
    text
      .replace('"name": "camera"', `"name": ${JSON.stringify(hostile)}`)
      .replace('"deskew"', '"<b>"'),
  );
  await page.waitForFunction(() =>
    /<img src=x onerror=alert\(1\)>/.test(
      document.querySelector<HTMLElement>("#results")?.innerText ?? "",
    ),
  );
  assert.equal(await page.locator("img, main b").count(), 0);
  assert.notEqual(await page.title(), "owned");
  await type(page, (text) => text.replace('"<b>"', '"<b>\\u0007"'));
  await until(page, /1 error/); // and the message shows what cannot be seen
  assert.match(await page.locator(".problem").innerText(), /`<b>\\x07`/);
});

test("the page of an arbiter that is not there says so", { skip }, async (t) => {
  const { page } = await started(t, {}, "--socket", "/nonexistent/tactusd.sock");
  await page.locator("#arbiter summary").click();
  await page.waitForFunction(() =>
    /nonexistent/.test(document.querySelector("#arbiter")?.textContent ?? ""),
  );
});

for (const [width, dark] of [
  [390, true],
  [1280, false],
] as const) {
  test(`axe-core finds nothing in the live page at ${width} px`, { skip }, async (t) => {
    const { page } = await started(t, { width, dark });
    assert.deepEqual(await findings(page), []);
    await form(page);
    await ask(page);
    assert.deepEqual(await findings(page), []);
  });
}

test("what is printed is the answer", { skip }, async (t) => {
  const { page } = await started(t);
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator("#answer").isVisible());
  assert.ok(!(await page.locator(".code").isVisible()));
});

for (const [width, dark] of [
  [360, false],
  [1280, true],
  [3840, false],
] as const) {
  test(`nothing of the live page is wider than a window of ${width} px`, { skip }, async (t) => {
    const { page } = await started(t, { width, dark });
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth),
      false,
    );
  });
}
