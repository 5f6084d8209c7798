import assert from "node:assert/strict";
import test from "node:test";
import { spansOf } from "../../src/live/arbiter";
import { differences } from "../../src/live/compare";
import { placeAt, suggestions, type Schema } from "../../src/live/completion";
import { rangeOf, withNode, withTask, written } from "../../src/live/form";
import { History } from "../../src/live/history";
import {
  at,
  offsetOf,
  parse,
  withCopy,
  withMember,
  withoutItem,
  withoutMember,
  type Value,
} from "../../src/live/json";
import { withAfter, withChain } from "../../src/live/pipelines";

const text = `{
  "name": "s", // a "comment" { with brackets
  "platform": { "elements": [ { "name": "cpu", "kind": "cpu" }, { "name": "gpu", "kind": "gpu" } ] },
  "tasks": [
    { "name": "a", "period": 10, "nodes": [ { "name": "n", "on": "gpu", "wcet": 1.50 } ] },
    { "name": "b", "period": 20 }
  ]
}
`;

test("changing one number leaves comments, order and all other characters as they were", () => {
  const node = at(parse(text), ["tasks", 0, "nodes", 0]);
  assert.ok(node);
  assert.equal(withMember(text, node, "wcet", "2"), text.replace("1.50", "2"));
});

test("a value that was not there is put behind the last one", () => {
  const task = at(parse(text), ["tasks", 1]);
  assert.ok(task);
  const changed = withMember(text, task, "deadline", "15");
  assert.equal(changed, text.replace('"period": 20', '"period": 20, "deadline": 15'));
});

test("tasks are removed and copied, and the text stays JSON", () => {
  const list = at(parse(text), ["tasks"]);
  assert.ok(list);
  for (const place of [0, 1]) {
    const less = parse(withoutItem(text, list, place));
    assert.equal(at(less, ["tasks"])?.items.length, 1);
    assert.equal(at(less, ["tasks", 0, "name"])?.text, place === 0 ? "b" : "a");
    const more = parse(withCopy(text, list, place));
    assert.equal(at(more, ["tasks"])?.items.length, 3);
    assert.equal(at(more, ["tasks", place + 1, "name"])?.text, place === 0 ? "a 2" : "b 2");
  }
});

test("a member is taken out with its comma, wherever it stands", () => {
  const three = '{ "a": 1, "b": [2], "c": 3 }';
  const without = (key: string): unknown => {
    const object = parse(three);
    assert.ok(object);
    return JSON.parse(withoutMember(three, object, key));
  };
  assert.deepEqual(without("a"), { b: [2], c: 3 });
  assert.deepEqual(without("b"), { a: 1, c: 3 });
  assert.deepEqual(without("c"), { a: 1, b: [2] });
  assert.deepEqual(without("d"), { a: 1, b: [2], c: 3 });
  const one = parse('{"a": 1}');
  assert.ok(one);
  assert.equal(withoutMember('{"a": 1}', one, "a"), "{}");
});

test("a task that another one starts loses its period, and gets the first one's back", () => {
  const started = withAfter(text, 1, "a");
  assert.equal(started, text.replace('"period": 20', '"after": "a"'));
  assert.equal(withAfter(started, 1, ""), text.replace('"period": 20', '"period": 10'));
  assert.ok(started.includes('// a "comment"'));
});

test("a chain is added to a file with and without chains, over tasks with deadlines", () => {
  const add = (into: string): string => {
    const root = parse(into);
    assert.ok(root);
    return withChain(into, root);
  };
  const once = add(text.replace('"period": 20', '"best_effort": true'));
  const read = JSON.parse(once.replace(/\/\/.*/, "")) as { chains: unknown };
  assert.deepEqual(read.chains, [{ name: "chain 1", tasks: ["a"] }]);
  const twice = at(parse(add(once)), ["chains"]);
  assert.deepEqual(
    twice?.items.map((chain) => at(chain, ["name"])?.text),
    ["chain 1", "chain 2"],
  );
});

test("tasks and nodes are added under names that are free", () => {
  const whole = '{ "platform": { "elements": [{ "name": "cpu" }] }, "tasks": [] }';
  const grown = (now: string, change: (text: string, root: Value) => string): string => {
    const root = parse(now);
    assert.ok(root);
    return change(now, root);
  };
  const two = grown(grown(whole, withTask), withTask);
  const more = grown(two, (text, root) => withNode(text, root, 1, "cpu"));
  const { tasks } = JSON.parse(more) as { tasks: { name: string; nodes: { name: string }[] }[] };
  assert.deepEqual(
    tasks.map((task) => [task.name, ...task.nodes.map((node) => node.name)]),
    [
      ["task", "work"],
      ["task_2", "work", "cpu"],
    ],
  );
});

test("what is not JSON has no values, whatever it is", () => {
  for (const broken of ["", "{", '{"a" 1}', "[1,]", '"\\x"', "nul", "{}{}", "[".repeat(100000)]) {
    assert.equal(parse(broken), null);
  }
});

test("a line and a column lead to the character, also behind characters of two units", () => {
  assert.equal(offsetOf("ab\ncd", 2, 2), 4);
  assert.equal(offsetOf("\u{1F600}x", 1, 2), 2);
  assert.equal(offsetOf("ab", 9, 9), 2);
});

const schema: Schema = {
  properties: {
    name: { type: "string" },
    time_unit: { enum: ["ms", "us"] },
    tasks: {
      items: {
        properties: {
          name: {},
          period: { description: "Shortest time between two releases" },
          best_effort: { type: "boolean" },
          nodes: { items: { properties: { name: {}, on: { type: "string" }, wcet: {} } } },
        },
      },
    },
  },
};

function offered(before: string, after = ""): string[] {
  const found = suggestions(before + after, before.length, schema, ["gcaps.suspend"]);
  return found?.list.map((one) => one.label) ?? [];
}

test("keys are offered that the place allows and that are not there yet", () => {
  assert.deepEqual(offered('{ "'), ["name", "time_unit", "tasks"]);
  assert.deepEqual(offered('{ "name": "x", '), ["time_unit", "tasks"]);
  assert.deepEqual(offered('{ "tasks": [ { "name": "a" }, { "p'), ["period"]);
  assert.deepEqual(offered('{ "tasks": [ { "nodes": [ {'), ["name", "on", "wcet"]);
});

test("values are offered from the schema and from the names of the file itself", () => {
  assert.deepEqual(offered('{ "time_unit": "'), ["ms", "us"]);
  assert.deepEqual(offered('{ "tasks": [ { "best_effort": t'), ["true"]);
  const before = text.slice(0, text.indexOf('"gpu", "wcet"'));
  assert.deepEqual(offered(before, text.slice(before.length + 5)), ["cpu", "gpu"]);
});

test("nothing is offered in comments, behind whole texts, or outside of everything", () => {
  assert.equal(placeAt('{ // "', 6), null);
  assert.equal(placeAt('{ "name"', 8), null);
  assert.equal(placeAt("", 0), null);
});

test("a gesture is one step back, and a new change forgets what was undone", () => {
  const history = new History("0");
  history.change("1", "slide");
  history.change("2", "slide");
  history.settle();
  history.change("3", "slide");
  assert.ok(history.undo());
  assert.equal(history.text, "2");
  assert.ok(history.undo());
  assert.equal(history.text, "0");
  assert.equal(history.undo(), false);
  assert.ok(history.redo());
  history.change("9");
  assert.equal(history.redo(), false);
  assert.equal(history.text, "9");
});

test("a slider reaches what the file allows, else twice its value, in steps that can be read", () => {
  const knob = { owner: [], key: "wcet", label: "wcet", value: 9, whole: false, least: 0 };
  assert.deepEqual(rangeOf(knob, 9), { min: 0, max: 18, step: 0.1 });
  assert.deepEqual(rangeOf({ ...knob, most: 33.3 }, 9), { min: 0, max: 33.3, step: 0.1 });
  assert.equal(rangeOf({ ...knob, most: 5 }, 9).max, 9);
  assert.equal(rangeOf({ ...knob, whole: true, least: 1 }, 16).max, 32);
  assert.equal(written(0.1 + 0.2), "0.3");
  assert.equal(written(0.0000001), "0.0000001");
});

test("two versions are compared by the names of things, not by their places", () => {
  const moved = text.replace('"period": 20', '"period": 25');
  assert.deepEqual(differences(text, moved), [
    { what: "tasks › b › period", before: "20", after: "25" },
  ]);
  assert.deepEqual(differences(text, text.replace("1.50", "1.50 ")), []);
  assert.deepEqual(differences(text, "{"), []);
});

test("samples of one state are one span, and a client that leaves has none any more", () => {
  const spans = spansOf([
    { at: 0, clients: [{ id: "a", state: "running" }] },
    { at: 10, clients: [{ id: "a", state: "running" }] },
    {
      at: 20,
      clients: [
        { id: "a", state: "pending" },
        { id: "b", state: "running" },
      ],
    },
    { at: 30, clients: [{ id: "b", state: "running" }] },
  ]);
  assert.deepEqual(spans.get("a"), [
    { from: 0, to: 20, state: "running" },
    { from: 20, to: 30, state: "pending" },
  ]);
  assert.deepEqual(spans.get("b"), [{ from: 20, to: 30, state: "running" }]);
});
