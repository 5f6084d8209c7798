/**
 * Graphs drawn from left to right. The graphs of tasks are small (tens of nodes), so the classic
 * steps suffice: a layer per node by its longest path, invisible nodes where an edge crosses
 * layers, a few sweeps that put every node near its neighbours. A library for this (dagre, elkjs)
 * would be several times the size of the whole page.
 */
export interface Placed {
  layer: number;
  /** Place in its layer, from the top; not a whole number, since short layers are centred. */
  row: number;
}

export interface Laid {
  nodes: Placed[];
  /** For each edge the places that it goes through, its two ends included. */
  routes: Placed[][];
  layers: number;
  rows: number;
}

/** The edges of a node list; without any given, the nodes are a chain (as the format says). */
export function edgesOf(
  names: string[],
  given: [string, string][] | undefined,
): [number, number][] {
  if (given === undefined) return names.slice(1).map((_, i) => [i, i + 1]);
  const place = new Map(names.map((name, i) => [name, i]));
  return given.flatMap(([from, to]): [number, number][] => {
    const a = place.get(from);
    const b = place.get(to);
    return a === undefined || b === undefined ? [] : [[a, b]];
  });
}

/** The nodes in an order that edges agree with. Nodes on a cycle come last, in their own order. */
export function topological(count: number, edges: [number, number][]): number[] {
  const waits = new Array<number>(count).fill(0);
  for (const [, to] of edges) waits[to] = (waits[to] ?? 0) + 1;
  const order: number[] = [];
  for (let i = 0; i < count; ++i) if (waits[i] === 0) order.push(i);
  for (let next = 0; next < order.length; ++next) {
    for (const [from, to] of edges) {
      if (from !== order[next]) continue;
      waits[to] = (waits[to] ?? 0) - 1;
      if (waits[to] === 0) order.push(to);
    }
  }
  const seen = new Set(order);
  for (let i = 0; i < count; ++i) if (!seen.has(i)) order.push(i);
  return order;
}

/** The heaviest path, as a set of nodes, and its weight. */
export function longestPath(
  weights: number[],
  edges: [number, number][],
): { nodes: Set<number>; weight: number } {
  const best = [...weights];
  const before = new Array<number>(weights.length).fill(-1);
  for (const node of topological(weights.length, edges)) {
    for (const [from, to] of edges) {
      const through = (best[node] ?? 0) + (weights[to] ?? 0);
      if (from !== node || through <= (best[to] ?? 0)) continue;
      best[to] = through;
      before[to] = node;
    }
  }
  const nodes = new Set<number>();
  let last = best.indexOf(Math.max(...best));
  const weight = best[last] ?? 0;
  while (last >= 0 && !nodes.has(last)) {
    nodes.add(last);
    last = before[last] ?? -1;
  }
  return { nodes, weight };
}

export function layOut(count: number, edges: [number, number][]): Laid {
  const layer = new Array<number>(count).fill(0);
  const order = topological(count, edges);
  const rank = new Map(order.map((node, i) => [node, i]));
  // An edge of a cycle would push its nodes further and further: it is not followed.
  const forward = edges.filter(([a, b]) => (rank.get(a) ?? 0) < (rank.get(b) ?? 0));
  for (const node of order) {
    for (const [a, b] of forward) {
      if (a === node) layer[b] = Math.max(layer[b] ?? 0, (layer[a] ?? 0) + 1);
    }
  }

  // Vertices: the nodes, then the invisible ones.
  const layers: number[][] = [];
  const put = (vertex: number, at: number): void => {
    (layers[at] ??= []).push(vertex);
  };
  for (let i = 0; i < count; ++i) put(i, layer[i] ?? 0);
  const vertexLayer = [...layer];
  const links: [number, number][] = [];
  const vias = edges.map(([a, b]) => {
    const via: number[] = [];
    let last = a;
    for (let at = (layer[a] ?? 0) + 1; at < (layer[b] ?? 0); ++at) {
      const vertex = vertexLayer.length;
      vertexLayer.push(at);
      put(vertex, at);
      links.push([last, vertex]);
      via.push(vertex);
      last = vertex;
    }
    links.push([last, b]);
    return via;
  });

  sweep(layers, links);
  const rows = Math.max(1, ...layers.map((vertices) => vertices.length));
  const placed: Placed[] = [];
  layers.forEach((vertices, at) => {
    const shift = (rows - vertices.length) / 2;
    vertices.forEach((vertex, row) => (placed[vertex] = { layer: at, row: row + shift }));
  });
  const of = (vertex: number): Placed => placed[vertex] ?? { layer: 0, row: 0 };
  return {
    nodes: placed.slice(0, count),
    routes: edges.map(([a, b], i) => [of(a), ...(vias[i] ?? []).map(of), of(b)]),
    layers: Math.max(1, layers.length),
    rows,
  };
}

/** Sorts every layer by where the neighbours in the layer before (then after) are. */
function sweep(layers: number[][], links: [number, number][]): void {
  const place = new Map<number, number>();
  const note = (vertices: number[]): void => {
    vertices.forEach((vertex, row) => place.set(vertex, row - vertices.length / 2));
  };
  layers.forEach(note);
  const sort = (vertices: number[], towards: 0 | 1): void => {
    const wish = new Map<number, number>();
    for (const vertex of vertices) {
      const near = links
        .filter((link) => link[towards === 0 ? 1 : 0] === vertex)
        .map((link) => place.get(link[towards]) ?? 0);
      const middle = near.reduce((sum, row) => sum + row, 0) / near.length;
      wish.set(vertex, near.length > 0 ? middle : (place.get(vertex) ?? 0));
    }
    vertices.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    note(vertices);
  };
  for (let round = 0; round < 4; ++round) {
    for (const vertices of layers.slice(1)) sort(vertices, 0);
    for (const vertices of layers.slice(0, -1).reverse()) sort(vertices, 1);
  }
}
