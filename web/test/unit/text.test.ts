import assert from "node:assert/strict";
import test from "node:test";
import { colour, inkOn, mixed } from "../../src/colours";
import { visible } from "../../src/dom";
import { ecdf, histogram } from "../../src/responses";
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

test("a histogram loses no value, and an ECDF ends at all of them", () => {
  const values = Array.from({ length: 1000 }, (_, i) => (i * i) % 997).sort((a, b) => a - b);
  assert.equal(
    histogram(values, 40).reduce((sum, bin) => sum + bin.count, 0),
    1000,
  );
  const points = ecdf(values);
  assert.equal(points[points.length - 1]?.y, 100);
  assert.ok(points.every((point, i) => i === 0 || point.y >= (points[i - 1]?.y ?? 0)));
  assert.deepEqual(histogram([2, 2], 40), [{ from: 2, to: 2, count: 2 }]);
  assert.deepEqual(histogram([], 40), []);
});

test("a staircase has the value of the step that was reached", () => {
  const line = {
    name: "",
    colour: "",
    steps: true,
    points: [
      { x: 1, y: 10 },
      { x: 3, y: 30 },
    ],
  };
  assert.equal(valueAt(line, 2.9)?.y, 10);
  assert.equal(valueAt({ ...line, steps: false }, 2.9)?.y, 30);
});
