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

const SCALE_STEPS = 256;
const scale = Array.from({ length: SCALE_STEPS }, (_, i) => {
  const t = i / (SCALE_STEPS - 1);
  return oklch(0.36 + 0.53 * t, 0.125 + 0.03 * t, 285 - 187 * t);
});

/** The colour of a value at t in 0..1; what is not a number is grey. */
export function scaleColor(t: number): Rgb {
  if (Number.isNaN(t)) return neutralColor;
  return scale[Math.round(Math.min(1, Math.max(0, t)) * (SCALE_STEPS - 1))];
}
