// A picture of the view, and the run as one HTML file that needs no server.
import type { ColorScale } from "./colors";
import type { Component } from "./frames";
import { drawLegend } from "./legend";
import { parseFrame } from "./packet";
import { type EmbeddedRun, type FrameEntry, type RunSource, type RunState, packRun, toBase64 } from "./source";
import type { Stage } from "./stage";

export interface LegendOf {
  name: string;
  component: Component;
  scale: ColorScale;
}

/** The view with its scale, onto a canvas of its own. */
export function paintPicture(stage: Stage, legend: LegendOf | null, canvas: HTMLCanvasElement, passes?: number): void {
  stage.finest(passes);
  const from = stage.renderer.domElement;
  // A new size empties the canvas, and ends what records it.
  if (canvas.width !== from.width || canvas.height !== from.height) {
    canvas.width = from.width;
    canvas.height = from.height;
  }
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("the browser gives no 2D canvas");
  pen.drawImage(from, 0, 0);
  const dark = document.documentElement.dataset.theme === "dark";
  if (legend) drawLegend(pen, legend.name, legend.component, legend.scale, canvas.height, dark);
}

export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture could not be made"))), "image/png"),
  );
}

/** Raw bytes of packets in an exported page. */
const EXPORT_LIMIT = 120e6;

/** Evenly spread frames, first and last included, as many as fit. */
function chooseFrames(frames: FrameEntry[], bytesEach: number): FrameEntry[] {
  const count = Math.max(1, Math.min(frames.length, Math.floor(EXPORT_LIMIT / Math.max(1, bytesEach))));
  if (count >= frames.length) return frames;
  if (count === 1) return [frames[frames.length - 1]];
  return Array.from({ length: count }, (_, i) => frames[Math.round((i * (frames.length - 1)) / (count - 1))]);
}

export interface PageExport {
  html: Blob;
  frames: number;
}

export async function exportPage(
  source: RunSource,
  state: RunState,
  fields: string[],
  view: unknown,
  progress: (done: number, all: number) => void,
): Promise<PageExport> {
  const page = await (await fetch(location.href.split("#")[0], { cache: "no-store" })).text();
  const sample = await source.frame(state.frames[0].step, fields);
  const chosen = chooseFrames(state.frames, sample.byteLength);
  const run: EmbeddedRun = {
    state: {
      ...state,
      finished: true,
      frames: chosen.map(({ step, time, version }) => [step, time, version]),
    },
    texts: {},
    frames: {},
    topologies: {},
    view,
  };
  for (const name of ["scene.json", "run.json", "steps.csv"]) {
    const text = await source.text(name);
    if (text !== null) run.texts[name] = text;
  }
  for (const [i, entry] of chosen.entries()) {
    const packet = await source.frame(entry.step, fields);
    const { topology } = parseFrame(packet);
    run.frames[entry.step] = toBase64(new Uint8Array(packet));
    if (!(topology in run.topologies))
      run.topologies[topology] = toBase64(new Uint8Array(await source.topology(entry.step, topology)));
    progress(i + 1, chosen.length);
  }
  const data = `<script type="application/octet-stream" id="abut-data">${await packRun(run)}</script>`;
  const marker = ["<!--", "abut-data", "-->"].join(""); // not in one piece: this script is part of the page
  if (!page.includes(marker)) throw new Error("the page has no place for data");
  return { html: new Blob([page.replace(marker, () => data)], { type: "text/html" }), frames: chosen.length };
}
