// Time: which frame is shown, playing in simulated seconds times a speed.
import type { FrameEntry } from "./source";

export class Player {
  frames: FrameEntry[] = [];
  index = 0;
  playing = false;
  loop = true;
  speed = 1;
  /** Stay at the newest frame of a run that goes on. */
  follow = true;
  private clock = 0; // simulated seconds

  get entry(): FrameEntry | undefined {
    return this.frames[this.index];
  }

  get time(): number {
    return this.entry?.time ?? 0;
  }

  private get last(): number {
    return Math.max(0, this.frames.length - 1);
  }

  /** Frames of meshes and statics may all have the same time: then one follows the other. */
  private hasTimes(): boolean {
    return this.frames.length > 1 && this.frames[this.last].time > this.frames[0].time;
  }

  setFrames(frames: FrameEntry[], running: boolean): void {
    const wasLast = this.index >= this.last;
    const step = this.entry?.step;
    this.frames = frames;
    if (running && this.follow && wasLast && !this.playing) {
      this.index = this.last;
    } else {
      const same = frames.findIndex((entry) => entry.step === step);
      this.index = same >= 0 ? same : Math.min(this.index, this.last);
    }
    if (!this.playing) this.clock = this.time;
  }

  seek(index: number): void {
    this.index = Math.min(this.last, Math.max(0, Math.round(index)));
    this.clock = this.time;
  }

  indexAt(time: number): number {
    let best = 0;
    for (let i = 0; i < this.frames.length; i++) if (this.frames[i].time <= time + 1e-9) best = i;
    return best;
  }

  play(on: boolean): void {
    this.playing = on && this.frames.length > 1;
    if (this.playing && this.index >= this.last) this.seek(0);
    this.clock = this.time;
  }

  /** Moves on by some wall-clock seconds; the frame to be shown next, which may not be loaded yet. */
  wanted(seconds: number): number {
    if (!this.playing) return this.index;
    if (!this.hasTimes()) {
      this.clock += seconds * this.speed * 25;
      const steps = Math.floor(this.clock);
      this.clock -= steps;
      return this.wrap(this.index + steps);
    }
    this.clock += seconds * this.speed;
    if (this.clock > this.frames[this.last].time && this.index >= this.last) return this.wrap(this.last + 1);
    return this.indexAt(this.clock);
  }

  private wrap(index: number): number {
    if (index <= this.last) return index;
    if (!this.loop) {
      this.playing = false;
      return this.last;
    }
    this.clock = this.hasTimes() ? this.frames[0].time : 0;
    return 0;
  }

  /** The frame is on the screen. */
  arrived(index: number): void {
    this.index = index;
  }

  /** The next frame is not there yet: time stands still. */
  wait(): void {
    if (this.hasTimes()) this.clock = this.time;
  }

  /** Frames that will be needed soon, nearest first. */
  upcoming(count: number): FrameEntry[] {
    const out: FrameEntry[] = [];
    for (let k = 1; k <= count && k < this.frames.length; k++) {
      const i = this.index + k;
      if (i <= this.last) out.push(this.frames[i]);
      else if (this.loop && this.playing) out.push(this.frames[i - this.frames.length]);
    }
    return out;
  }
}
