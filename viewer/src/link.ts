// The view as the part of the address behind "#": whoever opens that address sees the same.
import type { ColorScale } from "./colors";
import type { Component } from "./frames";
import type { ClipPlane, Finish, Look, SurfaceMode } from "./stage";

export interface SavedView {
  camera: number[];
  orthographic: boolean;
  color: string;
  component: Component;
  scale: ColorScale;
  fixed: boolean;
  isoLines: boolean;
  mode: SurfaceMode;
  finish: Finish;
  flags: string[];
  clip: ClipPlane | null;
  hidden: number[];
  /** Step of the frame. */
  step: number;
  theme: string;
}

export const FLAGS = ["flat", "thickness", "shadows", "floor", "contacts", "trail"] as const;

export function flagsOf(look: Look): string[] {
  return FLAGS.filter((name) => look[name]);
}

/** Short numbers: the link is read by people, too. */
function shorten(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}

export function writeLink(view: SavedView): string {
  return `#view=${encodeURIComponent(JSON.stringify(view, shorten))}`;
}

/** What the address says; null when it says nothing, or nothing that makes sense. */
export function readLink(hash: string): SavedView | null {
  const found = /^#view=(.+)$/.exec(hash);
  if (!found) return null;
  try {
    const view = JSON.parse(decodeURIComponent(found[1])) as SavedView;
    const numbers = Array.isArray(view.camera) && view.camera.length === 6 && view.camera.every((x) => Number.isFinite(x));
    return numbers && typeof view.color === "string" && Array.isArray(view.flags) && Array.isArray(view.hidden) ? view : null;
  } catch {
    return null;
  }
}

export function applyView(look: Look, view: SavedView): void {
  look.color = view.color;
  look.component = view.component ?? "length";
  look.scale = { ...look.scale, ...view.scale };
  look.isoLines = view.isoLines === true;
  look.mode = view.mode;
  look.finish = view.finish ?? "satin";
  for (const name of FLAGS) look[name] = view.flags.includes(name);
  look.clip = view.clip;
  look.hidden = new Set(view.hidden);
}
