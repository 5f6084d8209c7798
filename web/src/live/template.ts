/** What `tactus serve` without a file begins with. */
export const kNewSystem = `{
  "tactus": 1,
  "name": "new",
  "time_unit": "ms",
  "platform": { "elements": [
      { "name": "cpu", "kind": "cpu", "units": 2 },
      { "name": "gpu", "kind": "gpu", "units": 8, "time_slice": 1, "context_switch": 0.2, "runlist_update": 0.1 } ] },
  "tasks": [
    { "name": "camera", "priority": 20, "period": 33, "core": 1,
      "nodes": [
        { "name": "prepare", "on": "cpu", "wcet": 2 },
        { "name": "detect", "on": "gpu", "wcet": 9 } ] },
    { "name": "control", "priority": 30, "period": 10, "core": 2,
      "nodes": [ { "name": "step", "on": "cpu", "wcet": 1 } ] }
  ]
}
`;
