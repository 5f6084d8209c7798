import assert from "node:assert/strict";
import test from "node:test";
import { edgesOf, layOut, longestPath, topological } from "../../src/layout";

const diamond: [number, number][] = [
  [0, 1],
  [0, 2],
  [1, 3],
  [2, 3],
];

test("without edges the nodes are a chain, with none given they are apart", () => {
  assert.deepEqual(edgesOf(["a", "b", "c"], undefined), [
    [0, 1],
    [1, 2],
  ]);
  assert.deepEqual(edgesOf(["a", "b"], []), []);
});

test("edges go from left to right, and nothing lies on another", () => {
  const laid = layOut(4, diamond);
  for (const [a, b] of diamond)
    assert.ok((laid.nodes[a]?.layer ?? 9) < (laid.nodes[b]?.layer ?? 0));
  const places = new Set(laid.nodes.map((node) => `${node.layer} ${node.row}`));
  assert.equal(places.size, 4);
  assert.deepEqual([laid.layers, laid.rows], [3, 2]);
});

test("a long edge has its own way past the layers between", () => {
  const laid = layOut(3, [
    [0, 1],
    [1, 2],
    [0, 2],
  ]);
  assert.equal(laid.routes[2]?.length, 3);
  assert.notEqual(laid.routes[2][1]?.row, laid.nodes[1]?.row);
});

test("two parallel chains do not cross", () => {
  // Given crosswise: 0 -> 3 and 1 -> 2, so that file order would cross.
  const laid = layOut(4, [
    [0, 3],
    [1, 2],
  ]);
  const row = (node: number): number => laid.nodes[node]?.row ?? 0;
  assert.ok(row(0) < row(1) === row(3) < row(2));
});

test("the longest path is the heaviest, not the one with most nodes", () => {
  const { nodes, weight } = longestPath([1, 9, 2, 1], diamond);
  assert.deepEqual([...nodes].sort(), [0, 1, 3]);
  assert.equal(weight, 11);
});

test("a cycle, which the reader refuses, does not hang the layout", () => {
  assert.equal(
    topological(2, [
      [0, 1],
      [1, 0],
    ]).length,
    2,
  );
  assert.equal(
    layOut(2, [
      [0, 1],
      [1, 0],
    ]).nodes.length,
    2,
  );
});
