import assert from "node:assert/strict";
import test from "node:test";
import { colour, colourOfTask, greysFor, inkOn, mixed, useTasks } from "../../src/colours";
import { visible } from "../../src/dom";
import { histogram } from "../../src/responses";
import { valueAt } from "../../src/chart";

test("what cannot be seen in a name is shown", () => {
  assert.equal(visible("a\u0000b\u001b[31m"), "a␀b␛[31m");
  assert.equal(visible("safe\u202eetxt"), "safe\ufffdetxt");
  assert.equal(visible("<b>ünï\n"), "<b>ünï\n");
});

test("text on a colour can be read", () => {
  assert.equal(inkOn("#000000"), "#ffffff");
  assert.equal(inkOn("#F0E442"), "#000000");
  assert.equal(mixed("#000000", "#ffffff", 0.5), "#808080");
  assert.equal(new Set(Array.from({ length: 18 }, (_, i) => colour(i))).size, 18);
});

test("a task keeps its colour, and what is no task has another", () => {
  useTasks(["camera", "lidar"]);
  assert.equal(colourOfTask("lidar"), colour(1));
  assert.equal(colourOfTask("camera"), colour(0));
  const bright = Array.from({ length: 18 }, (_, i) => colour(i));
  assert.ok(!bright.includes(greysFor(["cpu", "gpu"]).of("gpu")));
});

test("a histogram loses no value", () => {
  const values = Array.from({ length: 1000 }, (_, i) => (i * i) % 997).sort((a, b) => a - b);
  assert.equal(
    histogram(values, 40).reduce((sum, bin) => sum + bin.count, 0),
    1000,
  );
  assert.deepEqual(histogram([2, 2], 40), [{ from: 2, to: 2, count: 2 }]);
  assert.deepEqual(histogram([], 40), []);
});

test("a line has the value of its nearest point", () => {
  const line = {
    name: "",
    colour: "",
    points: [
      { x: 1, y: 10 },
      { x: 3, y: 30 },
    ],
  };
  assert.equal(valueAt(line, 1.9)?.y, 10);
  assert.equal(valueAt(line, 2.9)?.y, 30);
});
