// Bundles the unit tests and runs them with node's test runner.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(here, "test", process.argv[2] ?? "unit");
const out = join(here, "built-tests");
const tests = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: tests.map((name) => join(folder, name)),
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  external: ["playwright-core", "axe-core"],
  mainFields: ["module", "main"], // as in the page; a UMD module cannot be bundled so
  outdir: out,
});
const built = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const ran = spawnSync(process.execPath, ["--test", ...built], { stdio: "inherit" });
process.exit(ran.status ?? 1);
