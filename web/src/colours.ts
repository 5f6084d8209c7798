/**
 * Colours. The palette (of Okabe and Ito, which people with any colour vision can tell apart) comes
 * with the data from the program, which draws its SVG figures with the same one.
 */
let palette = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"];

export function usePalette(colours: string[]): void {
  if (colours.length > 0) palette = colours;
}

/** The colour of the n-th thing; where the palette is used up, darker and lighter ones follow. */
export function colour(n: number): string {
  const base = palette[n % palette.length] ?? "#0072B2";
  const round = Math.floor(n / palette.length) % 3;
  return round === 0 ? base : mixed(base, round === 1 ? "#000000" : "#ffffff", 0.35);
}

/** `share` of the second colour in the first. */
export function mixed(first: string, second: string, share: number): string {
  const channel = (text: string, place: number): number =>
    parseInt(text.slice(1 + 2 * place, 3 + 2 * place), 16);
  const parts = [0, 1, 2].map((place) => {
    const value = channel(first, place) * (1 - share) + channel(second, place) * share;
    return Math.round(value).toString(16).padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

/** Black or white, whichever can be read on this colour (relative luminance of WCAG). */
export function inkOn(background: string): string {
  const linear = [0, 1, 2].map((place) => {
    const c = parseInt(background.slice(1 + 2 * place, 3 + 2 * place), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const luminance =
    0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** From a deep to a light blue: little slack is dark, much is light; the number stands beside it. */
export function slackColour(slack: number): string {
  return mixed("#0b4f8a", "#cfe8f7", Math.max(0, Math.min(1, slack)));
}

/** Greys, each a little of a hue: beside the tasks, which alone are bright. */
const greys = ["#3f4a59", "#a9b4c2", "#71806c", "#8d7866", "#5d5470", "#cdbfa8"];

/** Colours of things, by name, in the order in which they were named first. */
export class ColourByName {
  private readonly places = new Map<string, number>();

  constructor(
    names: Iterable<string> = [],
    private readonly choose: (place: number) => string = colour,
  ) {
    for (const name of names) this.of(name);
  }

  of(name: string): string {
    const place = this.places.get(name) ?? this.places.size;
    this.places.set(name, place);
    return this.choose(place);
  }
}

let tasks = new ColourByName();

/** A task has one colour on the whole page, whatever is shown of it. */
export function useTasks(names: Iterable<string>): void {
  tasks = new ColourByName(names);
}

export function colourOfTask(name: string): string {
  return tasks.of(name);
}

/** What is no task: elements, and the costs of sharing them. */
export function greysFor(names: Iterable<string>): ColourByName {
  return new ColourByName(names, (place) => greys[place % greys.length] ?? "#3f4a59");
}
