/** The page of `tactus serve`. */
import { gantts } from "../gantt/view";
import { Client, takeToken } from "./client";
import { Workbench } from "./workbench";

const root = document.getElementById("tactus-page");
if (root) {
  const bench = new Workbench(root, new Client(takeToken()));
  void bench.start();
}
// For measurements of the finished page.
Object.assign(window, { tactusGantts: gantts });
