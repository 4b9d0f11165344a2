// Pointing at things: a point with its values over time, the camera that follows it, its trail, and a ruler.
import * as THREE from "three";
import { fieldLabel, fieldTitle, fieldUnit } from "./legend";
import { type Component, fieldValue } from "./frames";
import { type Overlay, lengthText } from "./overlay";
import type { Frame } from "./packet";
import type { History, RunSource } from "./source";
import type { Look, Stage } from "./stage";
import { Plot } from "./charts";
import { button, checkbox, element, shortNumber } from "./ui";

interface Picked {
  point: number;
  body: number;
  topology: string;
}

export class Picker {
  readonly root = element("div", { id: "picked" });
  private readonly hint = element("p", { class: "hint" }, ["Click a body to see the values of a point. Shift and click two points to measure between them."]);
  private readonly table = element("table", { class: "facts" });
  private readonly plot: Plot;
  private readonly buttons: HTMLElement;
  private picked: Picked | null = null;
  private ruler: number[] = [];
  private rulerTopology = "";
  private rows: number[][] = [];
  private asked = 0;
  private last: THREE.Vector3 | null = null;
  follow = false;
  measuring = false;

  constructor(
    private readonly stage: Stage,
    private readonly overlay: Overlay,
    private readonly source: RunSource,
    private readonly look: Look,
    private readonly nameOf: (body: number) => string,
    seek: (time: number) => void,
    private readonly changed: () => void,
  ) {
    this.plot = new Plot(seek);
    this.buttons = element("div", { class: "row" }, [
      checkbox("follow with the camera", "follow-point", false, (on) => (this.follow = on)),
      checkbox("trail", "trail", look.trail, (on) => ((look.trail = on), this.showTrail(), this.changed())),
      button("forget", "Forget the point and the ruler (Escape)", () => this.clear(), "pick-clear"),
    ]);
    const ruler = checkbox("ruler: click two points", "ruler", false, (on) => (this.measuring = on));
    this.root.append(this.hint, ruler, this.table, this.plot.root, this.buttons);
    this.show(null);
    this.listen();
  }

  get state(): { point: number; body: number; rows: number } | null {
    return this.picked ? { point: this.picked.point, body: this.picked.body, rows: this.rows.length } : null;
  }

  get rulerLength(): number | null {
    return this.ruler.length === 2 ? this.stage.pointAt(this.ruler[0]).distanceTo(this.stage.pointAt(this.ruler[1])) : null;
  }

  /** A click is a press and a release at about the same place; a drag turns the view. */
  private listen(): void {
    const { canvas } = this.stage;
    let from: [number, number] | null = null;
    canvas.addEventListener("pointerdown", (event) => (from = event.button === 0 ? [event.clientX, event.clientY] : null));
    canvas.addEventListener("pointerup", (event) => {
      if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) return;
      const box = canvas.getBoundingClientRect();
      const hit = this.stage.hit((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
      if (event.shiftKey || this.measuring) this.rule(hit ? hit.point : null);
      else this.pick(hit ? hit.point : null);
    });
  }

  pick(point: number | null): void {
    const { topology } = this.stage.surface;
    this.picked = point === null || !topology ? null : { point, body: topology.body[point], topology: topology.id };
    this.rows = [];
    this.last = null;
    this.stage.marks.setTrail([]);
    this.changed();
    if (this.picked) void this.readHistory(this.picked, ++this.asked);
  }

  private rule(point: number | null): void {
    this.rulerTopology = this.stage.surface.topology?.id ?? "";
    this.ruler = point === null ? [] : this.ruler.length === 1 ? [this.ruler[0], point] : [point];
    this.changed();
  }

  clear(): void {
    this.ruler = [];
    this.follow = false;
    const box = this.root.querySelector<HTMLInputElement>("#follow-point");
    if (box) box.checked = false;
    this.pick(null);
  }

  private fields(frame: Frame): string[] {
    return frame.available.map((field) => field.name).filter((name) => name !== "body");
  }

  private async readHistory(picked: Picked, ticket: number): Promise<void> {
    const field = this.look.color === "body" ? "velocity" : this.look.color;
    let from = 0;
    for (;;) {
      let part: History;
      try {
        part = await this.source.history(picked.point, picked.topology, [field], from);
      } catch {
        return; // the page says elsewhere that the server is gone
      }
      if (ticket !== this.asked) return;
      this.rows.push(...part.rows);
      this.plot.set(fieldLabel(field), this.rows.map((row) => row[1]), this.rows.map((row) => row[5]));
      this.showTrail();
      if (part.rows.length === 0 || part.next <= from) return;
      from = part.next;
    }
  }

  /** The field that is plotted is that of the colours. */
  colorChanged(): void {
    if (!this.picked) return;
    this.rows = [];
    void this.readHistory(this.picked, ++this.asked);
  }

  private showTrail(): void {
    const origin = this.origin;
    const points = this.look.trail && this.picked ? this.rows.flatMap((row) => [row[2] - origin[0], row[3] - origin[1], row[4] - origin[2]]) : [];
    this.stage.marks.setTrail(points);
    this.stage.touch();
  }

  private origin: [number, number, number] = [0, 0, 0];

  /** After a frame was put on the stage. */
  show(frame: Frame | null): void {
    if (frame) this.origin = frame.origin;
    if (this.picked && frame && frame.topology !== this.picked.topology) this.picked = null; // remeshed: the number means another point
    if (this.ruler.length > 0 && frame && frame.topology !== this.rulerTopology) this.ruler = [];
    const { picked, stage } = this;
    const at = picked && frame ? stage.pointAt(picked.point) : null;
    this.hint.hidden = picked !== null;
    this.buttons.hidden = picked === null && this.ruler.length === 0;
    this.table.hidden = this.plot.root.hidden = picked === null;
    stage.marks.setPicked(at, 0.006 * stage.size());
    this.overlay.setPick(at, picked ? this.label(picked, frame) : "");
    if (picked && frame && at) {
      this.fillTable(picked, frame);
      this.plot.setTime(frame.time);
      if (this.follow && this.last) stage.view.shift(at.clone().sub(this.last));
      this.last = at.clone();
    }
    const ends = this.ruler.map((point) => stage.pointAt(point));
    stage.marks.setRuler(ends.flatMap((end) => end.toArray()));
    const middle = ends.length === 2 ? ends[0].clone().lerp(ends[1], 0.5) : null;
    this.overlay.setRuler(middle ?? ends[0] ?? null, ends.length === 2 ? lengthText(ends[0].distanceTo(ends[1])) : "second point?");
  }

  private label(picked: Picked, frame: Frame | null): string {
    const name = this.nameOf(picked.body);
    const field = frame?.fields.get(this.look.color);
    if (!field) return name;
    return `${name}: ${shortNumber(fieldValue(field.values, field.components, picked.point, this.look.component))} ${fieldUnit(this.look.color)}`.trim();
  }

  private fillTable(picked: Picked, frame: Frame): void {
    const p = this.stage.pointAt(picked.point);
    const place = [0, 1, 2].map((k) => shortNumber(p.getComponent(k) + frame.origin[k])).join(", ");
    const rows: [string, string][] = [
      ["body", this.nameOf(picked.body)],
      ["point", String(picked.point)],
      ["position in m", place],
    ];
    for (const name of this.fields(frame)) {
      const field = frame.fields.get(name);
      if (!field) continue;
      const value = (component: Component) => shortNumber(fieldValue(field.values, field.components, picked.point, component));
      const unit = fieldUnit(name);
      rows.push([`${fieldTitle(name)}${unit ? ` in ${unit}` : ""}`, field.components === 3 ? `${value("length")} (${value(0)}, ${value(1)}, ${value(2)})` : value("length")]);
    }
    this.table.replaceChildren(...rows.map(([label, text]) => element("tr", {}, [element("th", {}, [label]), element("td", {}, [text])])));
  }
}
