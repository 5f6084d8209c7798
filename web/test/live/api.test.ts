/** The HTTP interface: as openapi.json says, the same documents as the program, and nobody else. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { LiveServer, tactus, type Reply } from "./server";

let server: LiveServer;
before(async () => {
  server = await LiveServer.start();
});
after(async () => {
  assert.equal(await server.end(), 0);
});

interface Answer {
  status: number;
  document: Record<string, unknown> | null;
  problems: { message: string; line?: number; column?: number; pointer?: string }[];
  trace?: { rows: unknown[]; start: number[] };
}

const json = (reply: Reply): unknown => JSON.parse(reply.text);
const answer = (reply: Reply): Answer => json(reply) as Answer;
const system = (): string => readFileSync(server.file, "utf8");

/** What the program itself prints. */
function printed(...words: string[]): unknown {
  return JSON.parse(execFileSync(tactus, words, { encoding: "utf8", maxBuffer: 1 << 28 }));
}

test("answers are what the program prints with --json", async () => {
  const file = server.file;
  const ask = async (name: string, request: unknown): Promise<unknown> => {
    const reply = await server.post(`/api/${name}`, { system: system(), request });
    assert.equal(reply.status, 200);
    return answer(reply).document;
  };
  assert.deepEqual(await ask("analyze", {}), printed("analyze", "--json", file));
  assert.deepEqual(await ask("slack", {}), printed("slack", "--json", file));
  const simulated = ["simulate", "--json", file, "--method", "gcaps.suspend", "--jobs", "10"];
  assert.deepEqual(
    await ask("simulate", { method: "gcaps.suspend", jobs: 10 }),
    printed(...simulated),
  );
  const plan = join(server.folder, "made.plan.json");
  execFileSync(tactus, ["plan", file, "--method", "gcaps.suspend.prio", "-o", plan]);
  assert.deepEqual(
    await ask("plan", { method: "gcaps.suspend.prio" }),
    JSON.parse(readFileSync(plan, "utf8")),
  );
  assert.deepEqual(answer(await server.ask("/api/methods")).document, printed("methods", "--json"));
  assert.deepEqual(json(await server.ask("/api/schema")), printed("schema", "system"));
});

test("a mistake has its line and its column, and its place as a pointer", async () => {
  const broken = system().replace('"period": 33.3', '"peroid": 33.3');
  const said = answer(await server.post("/api/analyze", { system: broken }));
  assert.equal(said.status, 2);
  assert.equal(said.document, null);
  const line = broken.split("\n").findIndex((one) => one.includes("peroid")) + 1;
  const [problem] = said.problems;
  assert.ok(problem);
  assert.equal(problem.line, line);
  assert.match(problem.message, /did you mean `period`/);
  assert.equal(problem.pointer, "/tasks/0/peroid");
});

test("a body that makes no sense is told so", async () => {
  for (const body of ["", "{", "7", '{"sytem": 1}', '{"system": 7}', "[]", '{"request": {}}']) {
    const reply = await server.ask("/api/analyze", { method: "POST", body });
    assert.equal(reply.status, 200, body);
    assert.equal(answer(reply).status, 2, body);
    assert.ok(answer(reply).problems.length > 0, body);
  }
});

test("a simulated run comes with the slices of its Gantt chart where they are asked for", async () => {
  const request = { method: "gcaps.suspend", jobs: 5 };
  const traced = answer(
    await server.post("/api/simulate", { system: system(), request, trace: true }),
  );
  assert.ok(traced.trace && traced.trace.rows.length > 3 && traced.trace.start.length > 20);
  const plain = answer(await server.post("/api/simulate", { system: system(), request }));
  assert.equal(plain.trace, undefined);
  assert.deepEqual(plain.document, traced.document);
});

test("every address of openapi.json is there, and answers with what it names", async () => {
  const { paths } = json(await server.ask("/openapi.json")) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const real = path.replace("{question}", "check").replace("{id}", "999999");
      const reply = await server.ask(real, {
        method: method.toUpperCase(),
        ...(method === "post" ? { body: JSON.stringify({ system: system() }) } : {}),
      });
      assert.ok(String(reply.status) in responses, `${method} ${path}: ${reply.status}`);
      if (!path.includes("{id}")) assert.notEqual(reply.status, 404, path);
    }
  }
});

test("a job has a number, progress and an answer, and can be stopped", async () => {
  const started = await server.post("/api/jobs/advise", {
    system: system(),
    request: { stop_after: 60 },
  });
  assert.equal(started.status, 202);
  const { job } = json(started) as { job: number };
  const stopped = await server.ask(`/api/jobs/${job}`, { method: "DELETE" });
  assert.equal(stopped.status, 200);
  for (;;) {
    const state = json(await server.ask(`/api/jobs/${job}`)) as { state: string; stopped: boolean };
    if (state.state === "done") {
      assert.equal(state.stopped, true);
      break;
    }
  }
  assert.equal((await server.ask("/api/jobs/999", { method: "DELETE" })).status, 404);
});

test("a fifth job is refused while four run, and taken when one has ended", async () => {
  const long = { system: system(), request: { method: "gcaps.suspend", jobs: 900_000_000 } };
  const started = await Promise.all(
    [1, 2, 3, 4].map(() => server.post("/api/jobs/simulate", long)),
  );
  const ids = started.map((reply) => (json(reply) as { job: number }).job);
  assert.equal((await server.post("/api/jobs/simulate", long)).status, 429);
  for (const id of ids) await server.ask(`/api/jobs/${id}`, { method: "DELETE" });
  for (;;) {
    const reply = await server.post("/api/jobs/check", { system: system() });
    if (reply.status === 202) break;
    assert.equal(reply.status, 429);
  }
});

test("saving replaces the file, unless it has changed meanwhile", async () => {
  const text = system();
  const { revision } = json(await server.ask("/api/file")) as { revision: string };
  const changed = text.replace("33.3", "34");
  const saved = await server.post("/api/save", { text: changed, revision });
  assert.equal(saved.status, 200);
  assert.equal(system(), changed);
  assert.equal((await server.post("/api/save", { text, revision })).status, 409);
  assert.equal(system(), changed);
  const now = (json(saved) as { revision: string }).revision;
  assert.equal(
    (await server.ask("/api/file", { headers: { "If-None-Match": `"${now}"` } })).status,
    304,
  );
  writeFileSync(server.file, text);
  assert.equal((await server.post("/api/save", { text: changed, revision: now })).status, 409);
  for (const body of [{ text }, { text, revision: 7 }, { text, revision, path: "/etc/passwd" }])
    assert.equal((await server.post("/api/save", body)).status, 400);
  assert.equal(system(), text);
});

test("without the token nothing below /api/ answers, and with another Host or Origin nothing at all", async () => {
  assert.equal((await server.ask("/api/file", { stranger: true })).status, 401);
  assert.equal(
    (await server.ask("/api/file", { headers: { "X-Tactus-Token": "0".repeat(32) } })).status,
    401,
  );
  assert.equal(
    (await server.ask(`/api/file?token=${server.token}`, { stranger: true })).status,
    200,
  );
  for (const headers of [
    { Host: "evil.example" },
    { Host: `evil.example:${server.port}` },
    { Host: "127.0.0.1:1" },
    { Origin: "http://evil.example" },
    { Origin: "null" },
    { Origin: `https://127.0.0.1:${server.port}` },
    { Origin: `http://127.0.0.1:${server.port}.evil.example` },
  ] as Record<string, string>[]) {
    for (const path of ["/", "/api/file"])
      assert.equal((await server.ask(path, { headers })).status, 403, JSON.stringify(headers));
  }
  const own = { Origin: `http://localhost:${server.port}`, Host: `localhost:${server.port}` };
  assert.equal((await server.ask("/api/file", { headers: own })).status, 200);
});

test("a form of another page cannot ask: its body is not JSON", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
  ]) {
    const reply = await server.ask("/api/save", {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": type },
    });
    assert.equal(reply.status, 415, type);
  }
});

test("no path leads to a file", async () => {
  for (const path of [
    "/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/api/../../etc/passwd",
    "/api/file/../../../etc/passwd",
    "/api/jobs/..%2f..%2fetc%2fpasswd",
    "/app.js/../../etc/passwd",
    "//etc/passwd",
    "/\u0001",
    "/api/jobs/-1",
    "/api/jobs/1e3",
    "/api/jobs/99999999999999999999999",
  ]) {
    const reply = await server.ask(encodeURI(path).replaceAll("%25", "%"));
    assert.ok([400, 404].includes(reply.status), `${path}: ${reply.status}`);
    assert.doesNotMatch(reply.text, /root:/);
  }
  assert.equal((await server.ask(`/${"a".repeat(5000)}`)).status, 414);
});

test("methods that are none of ours are refused", async () => {
  for (const method of ["PUT", "PATCH", "OPTIONS", "TRACE", "DELETE"]) {
    const reply = await server.ask("/api/file", { method });
    assert.ok([400, 404].includes(reply.status), `${method}: ${reply.status}`);
  }
});

test("every response forbids scripts inside of pages, frames and guessing of types", async () => {
  for (const path of ["/", "/app.js", "/api/file", "/nothing"]) {
    const { headers } = await server.ask(path);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe/, path);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
  const page = (await server.ask("/")).text;
  assert.doesNotMatch(page, /<script(?![^>]* src=)|<style| style=| on\w+=/);
});

/** Whatever the server sends until it closes; "" where it closes without a word. */
function raw(text: string | Buffer, hold = false): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(server.port, "127.0.0.1");
    let got = "";
    socket.on("data", (piece) => (got += piece.toString()));
    socket.on("close", () => {
      resolve(got);
    });
    socket.on("error", () => undefined); // the rest is told by `close`
    socket.write(text);
    if (!hold) socket.end();
  });
}

test("a body that is too large is refused before it is read", async () => {
  const head = `POST /api/check HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Tactus-Token: ${server.token}\r\nContent-Type: application/json\r\n`;
  assert.match(await raw(`${head}Content-Length: 99999999999\r\n\r\n{`, true), /^HTTP\/1\.1 413/);
  // Without a length the server stops reading where the limit is.
  const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
  const endless = await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}`, true);
  assert.doesNotMatch(endless, /^HTTP\/1\.1 200/);
  assert.equal((await server.ask("/api/methods")).status, 200);
});

test("a compressed body, which could grow without end, is not unpacked", async () => {
  const reply = await server.ask("/api/check", {
    method: "POST",
    body: "\u001f\u008b",
    headers: { "Content-Encoding": "gzip" },
  });
  assert.equal(reply.status, 400);
});

test("headers without end, and what is no HTTP, end the connection", async () => {
  const head = `GET /api/methods HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`;
  assert.doesNotMatch(await raw(`${head}${"X-A: b\r\n".repeat(2_000_000)}\r\n`, true), / 200 /);
  assert.doesNotMatch(await raw(`${head}X-A: ${"b".repeat(100_000)}\r\n\r\n`, true), / 200 /);
  assert.doesNotMatch(await raw("\u0000\u0001\u0002\r\n\r\n", true), / 200 /);
  assert.doesNotMatch(await raw("GET / HTTP/9.9\r\n\r\n", true), / 200 /);
  assert.equal((await server.ask("/api/methods")).status, 200);
});

test("a client that sends a byte now and then is dropped after the time of a whole request", async () => {
  const began = Date.now();
  const socket = connect(server.port, "127.0.0.1");
  let got = "";
  socket.on("data", (piece) => (got += piece.toString()));
  socket.on("error", () => undefined);
  const timer = setInterval(() => socket.write("G"), 500);
  socket.write("GET / HTTP/1.1\r\nX-Slow: ");
  await new Promise((resolve) => socket.on("close", resolve));
  clearInterval(timer);
  assert.match(got, /^HTTP\/1\.1 408/);
  assert.ok(Date.now() - began < 60_000);
});

test("a thousand connections that say nothing do not end the server", async () => {
  const sockets = Array.from({ length: 1000 }, () => connect(server.port, "127.0.0.1"));
  let refused = 0;
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          // Where the kernel's queue is full, only the client believes in its connection.
          socket.setTimeout(30_000, () => socket.destroy());
          socket.on("error", () => {
            resolve();
          });
          socket.on("data", (piece) => {
            if (piece.toString().startsWith("HTTP/1.1 503")) ++refused;
          });
          socket.on("close", () => {
            resolve();
          });
        }),
    ),
  );
  assert.ok(refused > 0);
  assert.equal((await server.ask("/api/methods")).status, 200);
});

test("a client that hangs up stops what it has asked for", async () => {
  const began = Date.now();
  const body = JSON.stringify({
    system: system(),
    request: { method: "gcaps.suspend", jobs: 900_000_000 },
  });
  const head = `POST /api/simulate HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Tactus-Token: ${server.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  // As many as there are threads: were they not stopped, nobody would be answered for 30 s.
  const sockets = Array.from({ length: 8 }, () => connect(server.port, "127.0.0.1"));
  for (const socket of sockets) socket.write(head + body);
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const socket of sockets) socket.destroy();
  assert.equal((await server.ask("/api/methods")).status, 200);
  assert.ok(Date.now() - began < 29_000);
});

test("it ends at once when it is told to, also with work in hand", async () => {
  const other = await LiveServer.start();
  const long = { system: system(), request: { method: "gcaps.suspend", jobs: 900_000_000 } };
  const pending = other.post("/api/simulate", long).catch(() => null);
  assert.equal((await other.post("/api/jobs/simulate", long)).status, 202);
  assert.equal(await other.end(), 0);
  await pending;
});
