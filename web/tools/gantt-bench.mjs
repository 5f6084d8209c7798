// How long a frame of the Gantt chart takes, with many slices:
//   node tools/gantt-bench.mjs [SLICES]
// A page is made from a trace of that many slices; then it is zoomed and panned, frame by frame, and the
// time in which the chart is painted is measured. Needs TACTUS and a chromium.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const tactus = process.env.TACTUS ?? "tactus";
const slices = Number(process.argv[2] ?? 200_000);
const rows = 12;
const folder = mkdtempSync(join(tmpdir(), "tactus-bench-"));
const events = [];
for (let row = 1; row <= rows; ++row) {
  events.push({ ph: "M", name: "process_name", pid: 1, args: { name: "cpu" } });
  events.push({ ph: "M", name: "thread_name", pid: 1, tid: row, args: { name: `cpu ${row}` } });
}
for (let i = 0; i < slices; ++i) {
  const ts = Math.floor(i / rows) * 10 + (i % 7) * 0.3;
  const args = { job: i, width: 1 };
  const name = `task${i % 9}.node${i % 4}`;
  events.push({
    ph: "X",
    name,
    cat: "run",
    pid: 1,
    tid: 1 + (i % rows),
    ts,
    dur: 4 + (i % 5),
    args,
  });
}
const trace = join(folder, "trace.json");
writeFileSync(trace, JSON.stringify({ displayTimeUnit: "ns", traceEvents: events }));
const page = join(folder, "page.html");
execFileSync(tactus, ["report", trace, "-o", page]);

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const [width, height] of [
    [1280, 900],
    [3840, 2160],
  ]) {
    const view = await browser.newPage({ viewport: { width, height } });
    await view.goto(pathToFileURL(page).href);
    await view.waitForFunction(() => window.tactusGantts.length > 0);
    const measured = await view.evaluate(async () => {
      const [gantt] = window.tactusGantts;
      const { model } = gantt;
      const all = model.stop - model.begin;
      const paints = [];
      const frames = [];
      let last = 0;
      const most = 240;
      for (let i = 0; i < most; ++i) {
        // In and out again over four powers of ten, while the middle moves.
        const length = all * 10 ** (-2 - 2 * Math.cos((2 * Math.PI * i) / most + Math.PI));
        const from = model.begin + (all - Math.min(all, length)) * (i / most);
        gantt.scene.view = { from, to: from + Math.min(all, length) };
        const began = performance.now();
        gantt.paintNow();
        paints.push(performance.now() - began);
        const now = await new Promise(requestAnimationFrame);
        if (last > 0) frames.push(now - last);
        last = now;
      }
      const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
      const sorted = (list) => [...list].sort((a, b) => a - b);
      const at = (list, share) => sorted(list)[Math.floor(share * (list.length - 1))];
      return {
        slices: model.start.length,
        paint: [mean(paints), at(paints, 0.95), at(paints, 1)],
        frame: [mean(frames), at(frames, 0.95), at(frames, 1)],
      };
    });
    const text = (list) => list.map((one) => one.toFixed(1)).join(" / ");
    console.log(
      `${width} x ${height}: ${measured.slices} slices, painting ${text(measured.paint)} ms, frame ${text(measured.frame)} ms (mean / p95 / worst)`,
    );
    await view.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
