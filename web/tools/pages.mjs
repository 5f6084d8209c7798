// The tests of finished pages; exit code 77 (skipped, as ctest counts it) without a browser.
import { existsSync } from "node:fs";

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
if (!browsers.some(existsSync)) {
  console.log("skipped: there is no chromium here (Debian: apt install chromium)");
  process.exit(77);
}
process.argv[2] = "pages";
await import("./unit.mjs");
