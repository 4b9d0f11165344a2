// What lies over the picture: the axes, the scale bar, labels at places of the scene, and notices.
import * as THREE from "three";
import { roundLength } from "./backdrop";
import type { Stage } from "./stage";
import { element, shortNumber } from "./ui";

const AXIS_COLORS = ["#d64550", "#3f9a4a", "#3b7bd9"];
const AXIS_SIZE = 84;

/** Lengths in the unit that needs the fewest signs. */
export function lengthText(metres: number): string {
  const size = Math.abs(metres);
  if (size >= 1000) return `${shortNumber(metres / 1000)} km`;
  if (size >= 1 || size === 0) return `${shortNumber(metres)} m`;
  if (size >= 0.01) return `${shortNumber(metres * 100)} cm`;
  if (size >= 1e-3) return `${shortNumber(metres * 1000)} mm`;
  if (size >= 1e-6) return `${shortNumber(metres * 1e6)} µm`;
  return `${shortNumber(metres)} m`;
}

export class Overlay {
  readonly root = element("div", { class: "overlay" });
  readonly notice = element("div", { class: "notice", id: "notice", role: "alert", hidden: "" });
  private readonly axes = element("canvas", { class: "axes", id: "axes", width: String(2 * AXIS_SIZE), height: String(2 * AXIS_SIZE), role: "img", "aria-label": "directions of x, y and z; click one to look along it" });
  private readonly bar = element("div", { class: "scale-bar", id: "scale-bar" }, [element("i"), element("span")]);
  private readonly pickLabel = element("div", { class: "tag", id: "pick-label", hidden: "" });
  private readonly rulerLabel = element("div", { class: "tag ruler", id: "ruler-label", hidden: "" });
  private tips: { axis: number; sign: number; x: number; y: number }[] = [];
  private picked: THREE.Vector3 | null = null;
  private ruled: THREE.Vector3 | null = null;

  constructor(
    private readonly stage: Stage,
    look: (direction: [number, number, number]) => void,
  ) {
    this.root.append(this.axes, this.bar, this.pickLabel, this.rulerLabel);
    this.axes.addEventListener("click", (event) => {
      const box = this.axes.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const best = this.tips.map((tip) => ({ tip, d: Math.hypot(tip.x - x, tip.y - y) })).sort((a, b) => a.d - b.d)[0];
      if (!best || best.d > 18) return;
      const direction: [number, number, number] = [0, 0, 0];
      direction[best.tip.axis] = best.tip.sign;
      look(direction);
    });
  }

  /** A tag at a place; null takes it away. */
  setPick(at: THREE.Vector3 | null, text: string): void {
    this.picked = at;
    this.pickLabel.textContent = text;
    this.place();
  }

  setRuler(at: THREE.Vector3 | null, text: string): void {
    this.ruled = at;
    this.rulerLabel.textContent = text;
    this.place();
  }

  /** After every picture. */
  update(): void {
    this.drawAxes();
    this.drawBar();
    this.place();
  }

  private place(): void {
    for (const [label, at] of [[this.pickLabel, this.picked], [this.rulerLabel, this.ruled]] as const) {
      const spot = at ? this.stage.project(at) : null;
      label.hidden = !spot?.inFront;
      if (!spot) continue;
      const { clientWidth: width, clientHeight: height } = this.root;
      const x = Math.min(width - label.offsetWidth - 6, Math.max(6, spot.x * width + 12));
      const y = Math.min(height - label.offsetHeight - 6, Math.max(6, spot.y * height - label.offsetHeight - 8));
      label.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  private drawBar(): void {
    const pixel = this.stage.view.pixelSize(this.root.clientHeight);
    const length = roundLength(110 * pixel);
    this.bar.hidden = !this.stage.hasFrame;
    if (!Number.isFinite(length) || length <= 0) return;
    (this.bar.firstChild as HTMLElement).style.width = `${(length / pixel).toFixed(1)}px`;
    (this.bar.lastChild as HTMLElement).textContent = lengthText(length);
  }

  private drawAxes(): void {
    const pen = this.axes.getContext("2d");
    if (!pen) return;
    const turn = this.stage.view.camera.quaternion.clone().invert();
    pen.setTransform(2, 0, 0, 2, 0, 0);
    pen.clearRect(0, 0, AXIS_SIZE, AXIS_SIZE);
    this.tips = [];
    const ends: { axis: number; sign: number; v: THREE.Vector3 }[] = [];
    for (let axis = 0; axis < 3; axis++)
      for (const sign of [1, -1]) ends.push({ axis, sign, v: new THREE.Vector3().setComponent(axis, sign).applyQuaternion(turn) });
    ends.sort((a, b) => a.v.z - b.v.z);
    const half = AXIS_SIZE / 2;
    const reach = half - 12;
    for (const { axis, sign, v } of ends) {
      const x = half + reach * v.x;
      const y = half - reach * v.y;
      this.tips.push({ axis, sign, x, y });
      pen.strokeStyle = pen.fillStyle = AXIS_COLORS[axis];
      pen.lineWidth = 2;
      if (sign < 0) {
        pen.globalAlpha = 0.45;
        pen.beginPath();
        pen.arc(x, y, 4, 0, 7);
        pen.fill();
        pen.globalAlpha = 1;
        continue;
      }
      pen.beginPath();
      pen.moveTo(half, half);
      pen.lineTo(x, y);
      pen.stroke();
      pen.beginPath();
      pen.arc(x, y, 9, 0, 7);
      pen.fill();
      pen.fillStyle = "#fff";
      pen.font = "bold 11px system-ui, sans-serif";
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText("xyz"[axis], x, y + 0.5);
    }
  }

  /** A box over the picture: heading, text, and words to be copied. */
  say(kind: string, heading: string, text: string, command = ""): void {
    const key = JSON.stringify([kind, heading, text, command]);
    if (this.notice.dataset.key === key) return;
    this.notice.dataset.key = key;
    this.notice.dataset.kind = kind;
    this.notice.hidden = heading === "";
    this.notice.replaceChildren(
      element("b", {}, [heading]),
      ...(text ? [element("p", {}, [text])] : []),
      ...(command ? [element("code", {}, [command])] : []),
    );
  }
}
