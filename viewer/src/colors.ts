// The colours of abut's pictures (src/output/color.c), so that page and renderer agree.

export type Rgb = [number, number, number];

function toSrgb(linear: number): number {
  const x = Math.min(1, Math.max(0, linear));
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

function oklabToLinear(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** A colour that no screen has gets greyer until one has it. Linear values, 0 to 1. */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180;
  let rgb: Rgb = [0, 0, 0];
  for (let i = 0; i < 60; i++, chroma *= 0.97) {
    rgb = oklabToLinear(lightness, chroma * Math.cos(angle), chroma * Math.sin(angle));
    if (rgb.every((x) => x >= -1e-4 && x <= 1.0001)) break;
  }
  return rgb.map((x) => Math.min(1, Math.max(0, x))) as Rgb;
}

export function bodyColor(body: number): Rgb {
  const lightness = [0.69, 0.62, 0.76][((body % 3) + 3) % 3];
  return oklch(lightness, 0.125, 40 + 137.50776 * body);
}

export const neutralColor = oklch(0.78, 0.012, 250);

export function css(rgb: Rgb): string {
  return `rgb(${rgb.map((x) => Math.round(255 * toSrgb(x))).join(" ")})`;
}

// ---- colour maps: steps of equal lightness in OKLab, so that equal differences of a value look equally large ----

const SCALE_STEPS = 256;

function ramp(at: (t: number) => Rgb): Rgb[] {
  return Array.from({ length: SCALE_STEPS }, (_, i) => at(i / (SCALE_STEPS - 1)));
}

export interface ColorMap {
  title: string;
  steps: Rgb[];
}

/** All but the last get lighter from end to end, so they can be read without seeing colours; the last one is for values
 * around a middle, in blue and orange, which people who cannot tell red from green can tell. */
export const MAPS: Record<string, ColorMap> = {
  dusk: { title: "dusk", steps: ramp((t) => oklch(0.36 + 0.53 * t, 0.125 + 0.03 * t, 285 - 187 * t)) },
  ember: { title: "ember", steps: ramp((t) => oklch(0.16 + 0.78 * t, 0.22 * Math.sin(Math.PI * Math.min(1, 0.12 + 0.8 * t)), 15 + 90 * t)) },
  ice: { title: "ice", steps: ramp((t) => oklch(0.24 + 0.72 * t, 0.13 * Math.sin(Math.PI * (0.15 + 0.78 * t)), 270 - 60 * t)) },
  grey: { title: "grey", steps: ramp((t) => oklch(0.2 + 0.75 * t, 0, 0)) },
  split: {
    title: "blue to orange",
    steps: ramp((t) => oklch(0.95 - 0.9 * Math.abs(t - 0.5), 0.28 * Math.abs(t - 0.5), t < 0.5 ? 255 : 55)),
  },
};

export interface ColorScale {
  map: string;
  low: number;
  high: number;
  logarithmic: boolean;
}

/** A logarithmic scale has at most six decades, and none below 0. */
export function logLow(scale: ColorScale): number {
  return Math.max(scale.low, 1e-6 * Math.abs(scale.high), 1e-300);
}

/** Position of a value between the ends of a scale; 0..1 is within. */
export function scalePosition(scale: ColorScale, value: number): number {
  if (scale.logarithmic) {
    const low = logLow(scale);
    if (!(scale.high > low)) return 0.5;
    return value > 0 ? Math.log(value / low) / Math.log(scale.high / low) : 0;
  }
  return scale.high > scale.low ? (value - scale.low) / (scale.high - scale.low) : 0.5;
}

/** The value at a position of a scale. */
export function scaleValue(scale: ColorScale, t: number): number {
  if (!scale.logarithmic) return scale.low + t * (scale.high - scale.low);
  const low = logLow(scale);
  return low * (scale.high / low) ** t;
}

/** The colour at t in 0..1; what is not a number is grey. */
export function mapColor(map: string, t: number): Rgb {
  if (Number.isNaN(t)) return neutralColor;
  return (MAPS[map] ?? MAPS.dusk).steps[Math.round(Math.min(1, Math.max(0, t)) * (SCALE_STEPS - 1))];
}
