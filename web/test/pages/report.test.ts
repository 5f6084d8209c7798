/** Finished report files in a real browser. TACTUS is the program, EXAMPLES the folder of systems. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test, { after, before, type TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findings, launch, noBrowser, open as openPage } from "../browser";

const tactus = process.env.TACTUS ?? "tactus";
const examples = process.env.EXAMPLES ?? "../examples";
const why = noBrowser;
const folder = mkdtempSync(join(tmpdir(), "tactus-pages-"));
const forklift = join(examples, "forklift.system.json");
let browser: Browser | undefined;

/** What tactus prints; some verbs say "no" by exit code 1, which is no failure here. */
function run(...words: string[]): string {
  return execFileSync(tactus, words, { encoding: "utf8", maxBuffer: 1 << 28 });
}

function report(name: string, ...inputs: string[]): string {
  const page = join(folder, `${name}.html`);
  run("report", ...inputs, "-o", page);
  return page;
}

/** A page with every part that a system and its run have. */
function everything(): string {
  const warehouse = join(examples, "warehouse-pipeline.system.json");
  const [trace, seen, plan] = ["all-trace.json", "all-run.json", "all.plan.json"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const method = ["--method", "gang.wc"];
  writeFileSync(
    seen,
    run("simulate", warehouse, ...method, "--jobs", "4", "--json", "--trace", trace),
  );
  run("plan", warehouse, ...method, "-o", plan);
  return report("everything", warehouse, seen, trace, plan);
}

/** Opens a page that may ask for nothing. */
function open(t: TestContext, file: string, width = 1280, dark = false): Promise<Page> {
  const allowed = /^(file|data|blob):/;
  return openPage(t, browser, pathToFileURL(file).href, { width, dark, allowed });
}

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("chains are rows whose parts add up, and their tasks are drawn", { skip: why }, async (t) => {
  const page = await open(t, report("chains", join(examples, "warehouse-pipeline.system.json")));
  assert.equal(await page.locator("#answer .chains .piece").count(), 6);
  assert.match(await page.locator("#answer .chains").innerText(), /365\.233 of 400 ms/);
  assert.equal(await page.locator(".paths .node").count(), 3);
  assert.equal(await page.locator(".paths .edge.value").count(), 2);
});

test("a click on a job tells where its value came from", { skip: why }, async (t) => {
  const warehouse = join(examples, "warehouse-pipeline.system.json");
  const trace = join(folder, "chain-trace.json");
  run("simulate", warehouse, "--method", "gang.wc", "--jobs", "4", "--trace", trace);
  const page = await open(t, report("chain-gantt", warehouse, trace));
  await page.locator("#trace0 canvas.gantt").press("0"); // everything
  await page.locator("#trace0 .slices summary").click();
  const told = /camera to wheels: stereo #\d+ → planner #\d+ → wheel #\d+, read at .* ms old/;
  await page.locator("#trace0 .slices tbody tr", { hasText: told }).first().waitFor();
  const canvas = page.locator("#trace0 canvas.gantt");
  const box = await canvas.boundingBox();
  assert.ok(box);
  const said = page.locator("#trace0 .said");
  // In the middle of a job of the planner, in whichever of the rows at the bottom that is.
  const x = 132 + (450 / 800) * (box.width - 132);
  for (let y = box.height - 12; y > 40; y -= 22) {
    await canvas.click({ position: { x, y } });
    await page.waitForTimeout(60);
    if (
      /camera to wheels: stereo #\d+ → planner #2, read at .* ms old/.test(await said.innerText())
    )
      return;
  }
  assert.fail(`no click was answered: ${await said.innerText()}`);
});

test("the page says first what tactus analyze and slack say", { skip: why }, async (t) => {
  const page = await open(t, report("answer", forklift));
  const answer = await page.locator("#answer").innerText();
  const said = JSON.parse(run("analyze", "--json", forklift)) as {
    headline: { text: string; not_covered: string[] };
  };
  assert.ok(answer.includes(said.headline.text), answer);
  assert.ok(answer.includes(said.headline.not_covered.join("; ")), answer);
  const slack = JSON.parse(run("slack", "--json", forklift)) as {
    method: string;
    slack: { holds: number }[];
  };
  assert.ok(answer.includes(slack.method), answer);
  assert.ok(answer.includes(`× ${slack.slack[0]?.holds ?? 0}`), answer);
  assert.match(answer, /Limiting task\s+planner/);
});

test("a click on a field explains the bound with its formula", { skip: why }, async (t) => {
  const page = await open(t, report("explain", forklift));
  await page.locator('#methods button.cell[aria-label^="planner under gcaps.suspend;"]').click();
  const dialog = page.locator("dialog.explanation");
  assert.match(
    await dialog.innerText(),
    /planner under gcaps\.suspend[^]*183\.9[^]*ceil\(\(R \+ 46\.05\) \/ 100\) \* 7 = 3 \* 7/,
  );
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test(
  "the Gantt chart zooms by keys, and its table shows what is in view",
  { skip: why },
  async (t) => {
    const trace = join(folder, "trace.json");
    const seen = join(folder, "run.json");
    writeFileSync(
      seen,
      run(
        "simulate",
        forklift,
        "--method",
        "gcaps.suspend",
        "--jobs",
        "20",
        "--json",
        "--trace",
        trace,
      ),
    );
    const page = await open(t, report("gantt", forklift, seen, trace));
    const said = page.locator("#trace0 .said");
    await page.waitForFunction(() => document.querySelector("#trace0 .said")?.textContent !== "");
    const first = await said.innerText();
    await page.locator("#trace0 canvas.gantt").press("0");
    await page.locator("#trace0 .said", { hasNotText: first }).waitFor(); // it opens zoomed in
    const whole = await said.innerText();
    for (let i = 0; i < 8; ++i) await page.keyboard.press("+");
    const zoomed = page.locator("#trace0 .said", { hasNotText: whole });
    await zoomed.waitFor();
    await page.locator("#trace0 .slices summary").click();
    await page.locator("#trace0 .slices tbody tr").first().waitFor();
    await page.locator("#trace0 canvas.gantt").focus();
    await page.keyboard.press("0");
    await page.locator("#trace0 .said", { hasText: whole }).waitFor();
    const observed = JSON.parse(
      run("simulate", forklift, "--method", "gcaps.suspend", "--jobs", "20", "--json"),
    ) as {
      tasks: { task: string; longest: number }[];
    };
    const text = await page.locator("#observed0").innerText();
    for (const { longest } of observed.tasks) assert.ok(text.includes(String(longest)), text);
  },
);

test("names from files are text, whatever is in them", { skip: why }, async (t) => {
  const hostile = `</script><script>document.title="owned"</script><img src=x onerror=alert(1)>"'&amp;`;
  const system = {
    tactus: 1,
    name: hostile,
    time_unit: "ms",
    platform: {
      elements: [
        { name: "cpu", kind: "cpu", units: 1 },
        { name: "gpu<b>", kind: "gpu", units: 4 },
      ],
    },
    tasks: [
      {
        name: "a<i>--><!--\u2028",
        priority: 1,
        period: 10,
        core: 1,
        nodes: [{ name: `n"'`, on: "cpu", wcet: 1 }],
      },
    ],
  };
  const file = join(folder, "hostile.system.json");
  writeFileSync(file, JSON.stringify(system));
  const page = await open(t, report("hostile", file));
  assert.equal(await page.locator("#answer h2 .of").innerText(), hostile);
  assert.notEqual(await page.title(), "owned");
  assert.equal(await page.locator("img, main i, main b").count(), 0);
});

for (const [width, dark] of [
  [360, false],
  [1280, true],
  [3840, false],
] as const) {
  test(`nothing is wider than a window of ${width} px`, { skip: why }, async (t) => {
    const page = await open(
      t,
      report(`wide${width}`, join(examples, "dag-example.system.json")),
      width,
      dark,
    );
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth),
      false,
    );
  });
}

for (const [width, dark] of [
  [390, false],
  [1280, true],
] as const) {
  test(`axe-core finds nothing at ${width} px`, { skip: why }, async (t) => {
    const page = await open(t, everything(), width, dark);
    assert.deepEqual(await findings(page), []);
  });
}

test(
  "tasks have one colour, in the chart of a run as in the table of tasks",
  { skip: why },
  async (t) => {
    const page = await open(t, everything());
    const swatch = (where: string): Promise<string> =>
      page
        .locator(`${where} .named`, { hasText: "lidar" })
        .first()
        .locator(".swatch")
        .evaluate((one) => getComputedStyle(one).backgroundColor);
    const own = await swatch("#system");
    for (const where of ["#bounds", "#slack", "#trace0"]) assert.equal(await swatch(where), own);
  },
);

test("the page without data is small", { skip: why }, () => {
  const size = statSync(report("small", join(examples, "dag-example.system.json"))).size;
  assert.ok(size < 1_500_000, String(size));
});
