// The colour scale: on the page, and drawn into exported pictures.
import { type ColorScale, css, mapColor, scaleValue } from "./colors";
import type { Component } from "./frames";
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
  dissipated_energy: "J/m^3",
  depth: "m",
};

const TITLES: Record<string, string> = {
  stress: "von Mises stress",
  contact_force: "contact force",
};

const COMPONENTS = ["x", "y", "z"];

export function fieldTitle(name: string, component: Component = "length"): string {
  const title = TITLES[name] ?? name.replaceAll("_", " ");
  return component === "length" ? title : `${title}, ${COMPONENTS[component]}`;
}

export function fieldUnit(name: string): string {
  return UNITS[name] ?? "";
}

export function fieldLabel(name: string, component: Component = "length"): string {
  const unit = fieldUnit(name);
  return unit ? `${fieldTitle(name, component)} in ${unit}` : fieldTitle(name, component);
}

/** Round numbers within a scale, at most six; powers of ten when it is logarithmic. */
export function ticks(scale: ColorScale): { t: number; value: number }[] {
  const low = scaleValue(scale, 0);
  const high = scaleValue(scale, 1);
  if (!(high > low)) return [{ t: 0.5, value: low }];
  const out: { t: number; value: number }[] = [];
  if (scale.logarithmic) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / 6));
    for (let k = first; k <= last; k += every) out.push({ t: (k - Math.log10(low)) / (Math.log10(high) - Math.log10(low)), value: 10 ** k });
    if (out.length >= 2) return out;
    return [0, 1].map((t) => ({ t, value: scaleValue(scale, t) }));
  }
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((k) => k * power >= rough) ?? 10);
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push({ t: (k * step - low) / (high - low), value: k * step });
  return out;
}

export class Legend {
  readonly root: HTMLElement;
  private readonly title = element("div", { class: "legend-title" });
  private readonly bar = element("div", { class: "legend-bar" });
  private readonly numbers = element("div", { class: "legend-numbers" });
  private readonly note = element("div", { class: "legend-note" });
  private key = "";

  constructor() {
    this.root = element("div", { id: "legend", class: "legend", hidden: "", role: "img", "aria-label": "colour scale" }, [this.title, this.bar, this.numbers, this.note]);
  }

  get noteText(): string {
    return this.note.textContent ?? "";
  }

  show(name: string, component: Component, scale: ColorScale | null, note: string): void {
    this.root.hidden = scale === null;
    if (!scale) return;
    const key = JSON.stringify([name, component, scale, note]);
    if (key === this.key) return;
    this.key = key;
    this.title.textContent = fieldLabel(name, component);
    this.note.textContent = note;
    const stops = Array.from({ length: 17 }, (_, i) => css(mapColor(scale.map, i / 16)));
    this.bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    this.numbers.replaceChildren(
      ...ticks(scale).map(({ t, value }) => element("span", { style: `left:${(100 * t).toFixed(2)}%` }, [shortNumber(value)])),
    );
    this.root.setAttribute("aria-label", `colour scale: ${fieldLabel(name, component)}, ${shortNumber(scaleValue(scale, 0))} to ${shortNumber(scaleValue(scale, 1))}`);
  }
}

/** Draws the scale into the lower left corner of a picture. */
export function drawLegend(pen: CanvasRenderingContext2D, name: string, component: Component, scale: ColorScale, height: number, dark: boolean): void {
  const unit = Math.max(1, height / 700);
  const left = 24 * unit;
  const top = height - 56 * unit;
  const width = 210 * unit;
  pen.fillStyle = dark ? "rgb(23 25 29 / 0.8)" : "rgb(255 255 255 / 0.85)";
  pen.beginPath();
  pen.roundRect(left - 14 * unit, top - 24 * unit, width + 28 * unit, 66 * unit, 6 * unit);
  pen.fill();
  for (let i = 0; i < 210; i++) {
    pen.fillStyle = css(mapColor(scale.map, i / 209));
    pen.fillRect(left + (i * width) / 210, top, width / 210 + 0.6, 13 * unit);
  }
  pen.fillStyle = dark ? "#e8eaee" : "#22252a";
  pen.font = `${12 * unit}px system-ui, "Noto Sans", sans-serif`;
  pen.textAlign = "left";
  pen.fillText(fieldLabel(name, component), left, top - 8 * unit);
  pen.textAlign = "center";
  for (const { t, value } of ticks(scale)) {
    pen.fillRect(left + t * width - 0.5 * unit, top + 13 * unit, unit, 4 * unit);
    pen.fillText(shortNumber(value), left + t * width, top + 30 * unit);
  }
}
