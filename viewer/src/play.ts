// A simulation that goes on beside the server (`abut view --play`): go, pause, step, reset, and bodies pulled by dragging.
import * as THREE from "three";
import type { SceneFacts } from "./facts";
import type { Frame } from "./packet";
import type { PlayState, RunSource } from "./source";
import type { Hit, Stage } from "./stage";
import { checkbox, iconButton, shortNumber } from "./ui";

/** A press that moves less than this many pixels is a click, which picks a point. */
const CLICK = 4;

interface Grip {
  hit: Hit;
  pointer: number;
  from: [number, number];
  /** Where the hand is; null before it has moved. */
  place: THREE.Vector3 | null;
}

export class Play {
  /** What the footer gets. */
  readonly controls: HTMLElement[];
  private state: PlayState | null = null;
  private grip: Grip | null = null;
  private pulls = true;
  private frame: Frame | null = null;
  private sending = false;
  private readonly waiting: string[] = [];

  constructor(
    private readonly source: RunSource,
    private readonly stage: Stage,
    private readonly facts: () => SceneFacts | null,
    private readonly act: { complain(error: unknown): void; ordered(): void; newest(): void; clicked(point: number): void },
  ) {
    this.controls = [
      iconButton("reset", "Back to the start (Backspace)", () => this.reset(), "play-reset"),
      checkbox("pull", "play-pull", true, (on) => ((this.pulls = on), this.showCursor(false))),
    ];
    this.controls[1].title = "Dragging a body pulls it; dragging beside the bodies turns the view";
    for (const item of this.controls) item.hidden = true;
    // Before the camera's own listeners on the canvas.
    const parent = stage.canvas.parentElement ?? stage.canvas;
    parent.addEventListener("pointerdown", (event) => this.down(event), true);
    parent.addEventListener("pointermove", (event) => this.move(event), true);
    for (const name of ["pointerup", "pointercancel"] as const) parent.addEventListener(name, (event) => this.up(event), true);
  }

  get on(): boolean {
    return this.state !== null;
  }

  get paused(): boolean {
    return this.state?.paused ?? true;
  }

  get pulling(): boolean {
    return this.grip?.place != null;
  }

  get message(): string {
    return this.state?.message ?? "";
  }

  update(state: PlayState | undefined): void {
    const first = state && !this.state;
    this.state = state ?? null;
    if (!first) return;
    for (const item of this.controls) item.hidden = false;
    for (const id of ["loop", "follow"]) document.getElementById(id)?.closest("label")?.setAttribute("hidden", "");
  }

  /** What the status line says. */
  words(): string {
    const { state } = this;
    if (!state) return "";
    if (state.message) return "stopped";
    const force = state.force === null ? "" : ` · pull ${shortNumber(state.force)} N`;
    if (state.paused) return `paused · Space lets it go${force}`;
    const behind = state.rate < 0.9 * state.speed ? ` (this machine: ${shortNumber(state.rate)}×)` : "";
    return `playing at ${shortNumber(state.speed)}×${behind}${force}`;
  }

  // ---- orders ----

  /** One after the other; of pulls that wait only the last one counts. */
  private async order(words: string): Promise<void> {
    const { waiting } = this;
    const isPull = (text: string | undefined) => text?.startsWith("do=pull") === true;
    if (isPull(words) && isPull(waiting[waiting.length - 1])) waiting.pop();
    waiting.push(words);
    if (this.sending) return;
    this.sending = true;
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.source.order?.(next);
    } catch (error) {
      waiting.length = 0;
      this.act.complain(error);
    } finally {
      this.sending = false;
    }
    this.act.ordered();
  }

  toggle(): void {
    if (!this.state) return;
    this.state.paused = !this.state.paused;
    if (!this.state.paused) this.act.newest();
    void this.order(this.state.paused ? "do=pause" : "do=go");
  }

  pause(): void {
    if (!this.state || this.state.paused) return;
    this.state.paused = true;
    void this.order("do=pause");
  }

  step(): void {
    void this.order("do=step");
  }

  reset(): void {
    void this.order("do=reset");
  }

  speed(value: number): void {
    if (this.state) void this.order(`do=speed&value=${value}`);
  }

  // ---- pulling ----

  private at(event: PointerEvent): [number, number] {
    const box = this.stage.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  private canPull(hit: Hit | null): hit is Hit {
    return hit !== null && this.facts()?.bodies[hit.body]?.obstacle !== true;
  }

  private showCursor(over: boolean): void {
    this.stage.canvas.classList.toggle("grab", over && this.pulls);
  }

  private down(event: PointerEvent): void {
    if (!this.on || !this.pulls || event.button !== 0 || event.shiftKey || event.target !== this.stage.canvas) return;
    if (document.querySelector<HTMLInputElement>("#ruler")?.checked) return;
    const hit = this.stage.hit(...this.at(event));
    if (!this.canPull(hit)) return;
    event.stopPropagation();
    event.preventDefault();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.grip = { hit, pointer: event.pointerId, from: [event.clientX, event.clientY], place: null };
  }

  private move(event: PointerEvent): void {
    const { grip } = this;
    if (!this.on) return;
    if (!grip) {
      if (event.buttons === 0 && event.target === this.stage.canvas) this.showCursor(this.canPull(this.stage.hit(...this.at(event))));
      return;
    }
    if (event.pointerId !== grip.pointer) return;
    event.stopPropagation();
    if (!grip.place && Math.hypot(event.clientX - grip.from[0], event.clientY - grip.from[1]) <= CLICK) return;
    grip.place = this.stage.placeAt(...this.at(event), grip.hit.position);
    this.sendPull();
    this.showBand();
  }

  private up(event: PointerEvent): void {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.pointer) return;
    event.stopPropagation();
    this.grip = null;
    this.showBand();
    if (grip.place) void this.order("do=release");
    else if (event.type === "pointerup") this.act.clicked(grip.hit.point);
  }

  /** The grabbed point is a vertex near to where the pointer was: it is pulled as far as the pointer went. */
  private sendPull(): void {
    const { grip, frame } = this;
    if (!grip?.place || !frame) return;
    const place = grip.place.clone().add(new THREE.Vector3(...frame.origin));
    void this.order(`do=pull&topology=${frame.topology}&point=${grip.hit.point}&x=${place.x}&y=${place.y}&z=${place.z}`);
  }

  private showBand(): void {
    const { grip, stage } = this;
    const to = grip?.place ?? null;
    stage.marks.setBand(to && grip ? stage.pointAt(grip.hit.point) : null, to, 0.006 * stage.size());
    stage.touch();
  }

  /** After a frame was put on the stage. */
  show(frame: Frame): void {
    this.frame = frame;
    if (this.grip) this.showBand();
  }
}
