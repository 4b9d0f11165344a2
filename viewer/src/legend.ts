// The colour scale: on the page, and drawn into exported pictures.
import { css, scaleColor } from "./colors";
import { element, shortNumber } from "./ui";

const UNITS: Record<string, string> = {
  displacement: "m",
  velocity: "m/s",
  stress: "Pa",
  contact_force: "N",
  contact_pressure: "Pa",
  friction_traction: "Pa",
  gap: "m",
  cauchy_stress: "Pa",
  second_piola_stress: "Pa",
  von_mises: "Pa",
  energy_density: "J/m^3",
};

const TITLES: Record<string, string> = {
  stress: "stress (von Mises)",
  contact_force: "contact force",
};

export function fieldTitle(name: string): string {
  return TITLES[name] ?? name.replaceAll("_", " ");
}

export function fieldLabel(name: string): string {
  const unit = UNITS[name];
  return unit ? `${fieldTitle(name)} in ${unit}` : fieldTitle(name);
}

function gradient(direction: string): string {
  const stops = Array.from({ length: 11 }, (_, i) => css(scaleColor(i / 10)));
  return `linear-gradient(${direction}, ${stops.join(", ")})`;
}

export class Legend {
  readonly root: HTMLElement;
  private readonly title = element("div", { class: "legend-title" });
  private readonly low = element("span");
  private readonly middle = element("span");
  private readonly high = element("span");

  constructor() {
    const bar = element("div", { class: "legend-bar", style: `background:${gradient("to right")}` });
    this.root = element("div", { id: "legend", class: "legend", hidden: "" }, [
      this.title,
      bar,
      element("div", { class: "legend-numbers" }, [this.low, this.middle, this.high]),
    ]);
  }

  show(name: string, range: [number, number] | null): void {
    this.root.hidden = range === null;
    if (!range) return;
    this.title.textContent = fieldLabel(name);
    this.low.textContent = shortNumber(range[0]);
    this.middle.textContent = shortNumber((range[0] + range[1]) / 2);
    this.high.textContent = shortNumber(range[1]);
  }
}

/** Draws the scale into the lower left corner of a picture. */
export function drawLegend(pen: CanvasRenderingContext2D, name: string, range: [number, number], height: number): void {
  const unit = Math.max(1, height / 600);
  const left = 16 * unit;
  const top = height - 58 * unit;
  const width = 200 * unit;
  pen.fillStyle = "rgb(255 255 255 / 0.85)";
  pen.fillRect(left - 8 * unit, top - 20 * unit, width + 16 * unit, 66 * unit);
  for (let i = 0; i < 200; i++) {
    pen.fillStyle = css(scaleColor(i / 199));
    pen.fillRect(left + (i * width) / 200, top + 4 * unit, width / 200 + 0.6, 14 * unit);
  }
  pen.fillStyle = "#222";
  pen.font = `${12 * unit}px system-ui, sans-serif`;
  pen.textAlign = "left";
  pen.fillText(fieldLabel(name), left, top - 4 * unit);
  pen.fillText(shortNumber(range[0]), left, top + 34 * unit);
  pen.textAlign = "right";
  pen.fillText(shortNumber(range[1]), left + width, top + 34 * unit);
}
