// Bundles the page: node tools/build.mjs FOLDER writes FOLDER/page.html, which has the places
// {{title}} and {{data}} left, and FOLDER/page.cpp, the same as C++ source for the program.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = process.argv[2] ?? "dist";
const target = ["chrome123", "firefox120", "safari17.5"]; // the first with light-dark()

async function bundled(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    format: "iife",
    charset: "ascii", // the script and its hash do not depend on how the page is read
    legalComments: "none",
    target,
    write: false,
  });
  // What ends a script element may not stand inside of it.
  return result.outputFiles[0].text.trim().replaceAll("</", "<\\/");
}

const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const script = await bundled("main.ts");
const style = await bundled("style.css");
const parts = {
  style,
  script,
  "style-hash": hash(style),
  "script-hash": hash(script),
};
const page = readFileSync(join(here, "src", "page.html"), "utf8").replace(
  /\{\{(style|script|style-hash|script-hash)\}\}/g,
  (_, name) => parts[name],
);

// Compilers limit the length of a literal: pieces.
const pieces = [];
for (let at = 0; at < page.length; at += 12000)
  pieces.push(`R"_page_(${page.slice(at, at + 12000)})_page_"`);
const source = `// Made by web/tools/build.mjs.
#include "tactus/report/page_template.hpp"

namespace tactus::report {

std::string_view page_template() {
  return ${pieces.join("\n         ")};
}

std::string_view why_no_page() { return {}; }

}  // namespace tactus::report
`;
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "page.html"), page);
writeFileSync(join(folder, "page.cpp"), source);
