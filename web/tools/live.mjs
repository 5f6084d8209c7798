// The tests of `tactus serve`: requests, and pages in a browser where there is one.
process.argv[2] = "live";
await import("./unit.mjs");
