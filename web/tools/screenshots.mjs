// Screenshots of every view, to look at and for the documentation:
//   TACTUS=build/tactus EXAMPLES=examples node tools/screenshots.mjs FOLDER [--docs]
// With --docs only those of docs/images, else every view at four widths, light and dark, and printed.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const tactus = process.env.TACTUS ?? "tactus";
const examples = process.env.EXAMPLES ?? "../examples";
const [folder = "screenshots", only] = process.argv.slice(2);
const docs = only === "--docs";
const work = mkdtempSync(join(tmpdir(), "tactus-shots-"));
mkdirSync(folder, { recursive: true });

const robot = join(examples, "warehouse-pipeline.system.json");
const trace = join(work, "trace.json");
const seen = execFileSync(
  tactus,
  `simulate ${robot} --method gang.wc --jobs 20 --json --trace ${trace}`.split(" "),
);
const run = join(work, "run.json");
(await import("node:fs")).writeFileSync(run, seen);
const report = join(work, "report.html");
execFileSync(tactus, ["report", robot, run, trace, "-o", report]);

const server = spawn(tactus, ["serve", robot, "--port", "0"]);
const url = await new Promise((resolve) => {
  let said = "";
  server.stdout.on("data", (text) => {
    said += text;
    const found = /http:\S+#token=[0-9a-f]+(?=\n)/.exec(said)?.[0];
    if (found) resolve(found);
  });
});

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

async function open(address, width, dark, height = 900) {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
  });
  await page.goto(address);
  await page.locator("#answer").waitFor();
  await page.waitForTimeout(300);
  return page;
}

async function live(width, dark) {
  const page = await open(url, width, dark);
  await page.getByRole("button", { name: "Keep to compare" }).click();
  await page.getByRole("tab", { name: "Form" }).click();
  await page.getByLabel("wcet of detect on gpu", { exact: true }).fill("15");
  await page.keyboard.press("Tab");
  await page.locator("#compare table").first().waitFor();
  await page.locator(".questions > summary").click();
  await page.getByRole("button", { name: "Simulate" }).click();
  await page.locator("#trace0 canvas.gantt").waitFor();
  await page.getByRole("button", { name: "Advise" }).click();
  await page.locator("#advice0").waitFor({ timeout: 120_000 });
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(500);
  return page;
}

try {
  if (docs) {
    let page = await open(pathToFileURL(report).href, 1280, false);
    await page.screenshot({ path: join(folder, "report.png") });
    await page
      .locator("#trace0 .gantt-box")
      .first()
      .screenshot({
        path: join(folder, "report-gantt.png"),
      });
    page = await open(url, 1280, false);
    await page.screenshot({ path: join(folder, "serve.png") });
  } else {
    for (const width of [390, 768, 1280, 1920]) {
      for (const dark of [false, true]) {
        const name = `${width}-${dark ? "dark" : "light"}.png`;
        let page = await open(pathToFileURL(report).href, width, dark);
        await page.screenshot({ path: join(folder, `report-${name}`), fullPage: true });
        await page.close();
        page = await live(width, dark);
        await page.screenshot({ path: join(folder, `live-${name}`), fullPage: true });
        await page.close();
      }
    }
    const page = await open(pathToFileURL(report).href, 1280, false);
    await page.pdf({ path: join(folder, "report.pdf"), format: "A4" });
  }
} finally {
  await browser.close();
  server.kill();
  rmSync(work, { recursive: true, force: true });
}
