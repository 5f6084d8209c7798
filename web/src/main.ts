import { gantts } from "./gantt/view";
import { mount } from "./page";
import type { Report } from "./model";

const data = document.getElementById("tactus-data");
const root = document.getElementById("tactus-page");
if (data && root) mount(root, JSON.parse(data.textContent) as Report);
// For measurements of the finished page.
Object.assign(window, { tactusGantts: gantts });
