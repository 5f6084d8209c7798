// Bundles the page: node tools/build.mjs FOLDER writes FOLDER/page.html, which has the places
// {{title}} and {{data}} left, and FOLDER/page.cpp, the same as C++ source for the program; and
// FOLDER/live.cpp, the page of `tactus serve` with its script and its style.
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
function literal(text) {
  const pieces = [];
  for (let at = 0; at < text.length; at += 12000)
    pieces.push(`R"_page_(${text.slice(at, at + 12000)})_page_"`);
  return pieces.join("\n         ");
}

/** C++ source with functions that return texts. */
function source(header, room, texts) {
  const functions = Object.entries(texts).map(
    ([name, text]) => `std::string_view ${name}() {\n  return ${text ? literal(text) : "{}"};\n}\n`,
  );
  return `// Made by web/tools/build.mjs.
#include "${header}"

namespace ${room} {

${functions.join("\n")}
}  // namespace ${room}
`;
}

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "page.html"), page);
writeFileSync(
  join(folder, "page.cpp"),
  source("tactus/report/html/page_template.hpp", "tactus::report", {
    page_template: page,
    why_no_page: "",
  }),
);
writeFileSync(
  join(folder, "live.cpp"),
  source("tactus/serve/assets.hpp", "tactus::serve", {
    live_page: readFileSync(join(here, "src", "live", "page.html"), "utf8"),
    live_script: await bundled("live/main.ts"),
    live_style: await bundled("live/style.css"),
  }),
);
