import assert from "node:assert/strict";
import test from "node:test";
import { microseconds, number, percent, shown, ticks, time, used } from "../../src/format";

test("numbers are short and never lose what counts", () => {
  assert.equal(number(13.9), "13.9");
  assert.equal(number(0.1 + 0.2), "0.3");
  assert.equal(number(183900.4), "183900");
  assert.equal(number(0), "0");
  assert.equal(number(null), "–");
  assert.equal(number(Number.NaN), "–");
});

test("times have the unit of the file, abstract ones have none", () => {
  assert.equal(time(5, "ms"), "5 ms");
  assert.equal(time(5, "unit"), "5");
  assert.equal(time(null, "ms"), "–");
});

test("a dimensionless unit counts as a millisecond in traces", () => {
  assert.equal(microseconds("unit"), microseconds("ms"));
  assert.equal(microseconds("us"), 1);
});

test("small shares keep a digit", () => {
  assert.equal(percent(0.0805), "8 %");
  assert.equal(percent(0.1367), "13 %");
  assert.equal(percent(0.58), "58 %");
  assert.equal(used(0.8633), "87 %");
  assert.equal(used(0.58), "58 %");
  assert.equal(used(-0.0001), "0 %");
  assert.equal(percent(0), "0 %");
});

test("ticks are round, inside, and free of rounding dust", () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(0.05, 0.32, 3), [0.1, 0.2, 0.3]);
  assert.deepEqual(ticks(3, 3, 5), [3]);
});

test("any value of a document is one line", () => {
  assert.equal(shown({ gpu: 4, list: [1, 2] }), "gpu 4, list 1, 2");
  assert.equal(shown(null), "–");
});
