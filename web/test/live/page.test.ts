/** The live page in a real browser. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test, { after, before, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, noBrowser as skip, open } from "../browser";
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

async function type(page: Page, change: (text: string) => string): Promise<void> {
  const area = page.locator("textarea");
  await area.fill(change(await area.inputValue()));
}

test("editing the text changes the verdict, and undo brings it back", { skip }, async (t) => {
  const { page } = await started(t);
  assert.match(await status(page), /Every deadline is proved/);
  await type(page, (text) =>
    text.replace('"detect", "on": "gpu", "wcet": 9', '"detect", "on": "gpu", "wcet": 90'),
  );
  await until(page, /Not every deadline is proved/);
  assert.match(await page.locator("#answer").innerText(), /Not every deadline is proved/);
  await page.locator("textarea").focus();
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
  await until(page, /by mpcp\.suspend/);
  const choice = page.getByLabel("Method to plan or simulate");
  assert.equal(await choice.inputValue(), "mpcp.suspend");
  await choice.selectOption("gcaps.busy"); // what a person chooses stays
  await page.locator("textarea").focus();
  await page.keyboard.press("Control+z");
  await until(page, /^(?!.*mpcp)/);
  assert.equal(await choice.inputValue(), "gcaps.busy");
});

test("a slider changes the text in its place, and nothing else of it", { skip }, async (t) => {
  const { server, page } = await started(t);
  const before = readFileSync(server.file, "utf8");
  const slider = page.getByLabel("wcet of detect on gpu, slider");
  await slider.focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
  const text = await page.locator("textarea").inputValue();
  assert.equal(
    text,
    before.replace('"detect", "on": "gpu", "wcet": 9', '"detect", "on": "gpu", "wcet": 9.3'),
  );
  await slider.press("End");
  await until(page, /Not every deadline is proved|by/);
  assert.match(await page.locator("textarea").inputValue(), /"detect", "on": "gpu", "wcet": 18/);
  assert.equal(readFileSync(server.file, "utf8"), before); // nothing is saved by itself
});

test("what starts a task, and a chain, are made in the form", { skip }, async (t) => {
  const { page } = await started(t);
  await page.getByLabel("what starts planner").selectOption("camera");
  const text = (): Promise<string> => page.locator("textarea").inputValue();
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
  await page.locator("textarea").focus();
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
  const line = (await page.locator("textarea").inputValue())
    .split("\n")
    .findIndex((one) => one.includes("peroid"));
  const marked = page.locator(".code-line.error");
  assert.equal(await marked.getAttribute("data-line"), String(line + 1));
  assert.match(await marked.innerText(), /did you mean `period`/);
  assert.equal(await page.locator(".code-bad").innerText(), '"peroid"');
  await page.locator(".problem").click();
  const at = await page
    .locator("textarea")
    .evaluate((one: HTMLTextAreaElement) => one.value.slice(one.selectionStart));
  assert.ok(at.startsWith('"peroid"'), at.slice(0, 20));
  await page.locator("#results.stale").waitFor();
});

test("keys and names are completed from the schema", { skip }, async (t) => {
  const { page } = await started(t);
  const area = page.locator("textarea");
  await area.evaluate((one: HTMLTextAreaElement) => {
    const place = one.value.indexOf('"priority": 40');
    one.focus();
    one.setSelectionRange(place, place);
  });
  await page.waitForTimeout(2000); // the schema is on its way
  await page.keyboard.type('"dea');
  await page.locator(".code-list li").first().waitFor();
  assert.equal(await page.locator(".code-list li strong").first().innerText(), "deadline");
  await page.keyboard.press("Enter");
  await page.keyboard.type("30, ");
  assert.match(await area.inputValue(), /"deadline": 30, "priority": 40/);
  await until(page, /deadline/);
  assert.equal(await page.locator(".code-line.error").count(), 0);
});

test("a run is simulated and drawn, slack and advice are jobs", { skip }, async (t) => {
  const { page } = await started(t);
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
    await page.waitForFunction(() =>
      /"wcet": 13/.test(document.querySelector("textarea")?.value ?? ""),
    );
    await type(page, (now) => now.replace('"wcet": 13', '"wcet": 12'));
    writeFileSync(server.file, text.replace('"wcet": 14', '"wcet": 11'));
    await page.getByRole("button", { name: "Load it" }).waitFor();
    assert.match(await page.locator("textarea").inputValue(), /"wcet": 12/);
    await page.getByRole("button", { name: "Load it" }).click();
    assert.match(await page.locator("textarea").inputValue(), /"wcet": 11/);
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
    await page.getByLabel("Jobs of the slowest task").fill("100000000");
    await page.getByRole("button", { name: "Simulate" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await server.end("SIGKILL");
    await page.waitForFunction(() =>
      /failed/.test(document.querySelector(".jobs")?.textContent ?? ""),
    );
    await type(page, (text) => text.replace('"period": 100', '"period": 90'));
    await until(page, /the server does not answer/);
    assert.match(await page.locator("textarea").inputValue(), /"period": 90/);
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
  const hostile = `</textarea><img src=x onerror=alert(1)><script>document.title="owned"</script>'`;
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
