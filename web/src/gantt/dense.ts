/**
 * What is narrower than a pixel, painted as pixels: a row is one line of an image, which the canvas
 * stretches to the height of the row. A thousand small rectangles per row would take forty times as
 * long.
 */
import { el } from "../dom";

type Channels = readonly [number, number, number];

const known = new Map<string, Channels>();

/** "#0072b2" or "rgb(0, 114, 178)" as numbers. */
export function channels(colour: string): Channels {
  const found = known.get(colour);
  if (found) return found;
  const numbers = colour.startsWith("#")
    ? [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16))
    : (colour.match(/[\d.]+/g) ?? []).map(Number);
  const made: Channels = [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
  known.set(colour, made);
  return made;
}

export class DenseLine {
  private readonly canvas = el("canvas", { height: 1 });
  private image = new ImageData(1, 1);
  private used = false;

  begin(width: number): void {
    const whole = Math.max(1, Math.ceil(width));
    if (this.canvas.width !== whole || this.image.width !== whole) {
      this.canvas.width = whole;
      this.image = new ImageData(whole, 1);
    } else if (this.used) {
      this.image.data.fill(0);
    }
    this.used = false;
  }

  set(x: number, wide: number, colour: string, alpha: number): void {
    const [red, green, blue] = channels(colour);
    const { data, width } = this.image;
    for (let i = Math.max(0, x); i < Math.min(width, x + wide); ++i) {
      data[4 * i] = red;
      data[4 * i + 1] = green;
      data[4 * i + 2] = blue;
      data[4 * i + 3] = Math.round(255 * alpha);
    }
    this.used = true;
  }

  paint(context: CanvasRenderingContext2D, top: number, high: number): void {
    if (!this.used) return;
    this.canvas.getContext("2d")?.putImageData(this.image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.canvas, 0, top, this.canvas.width, high);
  }
}
