// The side panel: what colours mean, what is shown, bodies, facts.
import { MAPS, bodyColor, css, neutralColor } from "./colors";
import type { SceneFacts } from "./facts";
import { fieldTitle } from "./legend";
import type { FieldInfo } from "./packet";
import type { RunState } from "./source";
import { CONTACT_FIELD } from "./solids";
import type { Finish, Look, SurfaceMode } from "./stage";
import { button, checkbox, element, recall, remember, select, setOptions, shortNumber } from "./ui";

export interface PanelActions {
  changed(): void;
  colorChanged(): void;
  picture(): void;
  film(): void;
  pictures(): void;
  page(): void;
  link(): void;
  fit(all: boolean): void;
  home(): void;
  look(direction: [number, number, number]): void;
  orthographic(on: boolean): void;
  compare(how: CompareMode): void;
}

export type RangeMode = "run" | "percentiles" | "frame" | "hand";
export type CompareMode = "off" | "ghost" | "beside";

/** The parts of the panel; on a phone one of them is shown at a time. */
export const SECTIONS: [string, string][] = [
  ["colour", "Colour"],
  ["view", "View"],
  ["bodies", "Bodies"],
  ["measure", "Measure"],
  ["run", "Run"],
  ["export", "Export"],
  ["scene", "Scene"],
];

function remembered(key: string, fallback: boolean): boolean {
  const kept = recall(`section-${key}`);
  return kept === null ? fallback : kept === "open";
}

function section(id: string, open: boolean, children: (Node | string)[]): HTMLDetailsElement {
  const title = SECTIONS.find(([key]) => key === id)?.[1] ?? id;
  const made = element("details", { "data-section": id }, [element("summary", {}, [title]), element("div", { class: "section" }, children)]);
  made.open = remembered(id, open);
  made.addEventListener("toggle", () => remember(`section-${id}`, made.open ? "open" : "folded"));
  return made;
}

const FACT_ROWS: [string, string, string][] = [
  ["status", "status", ""],
  ["steps", "steps", ""],
  ["simulated_seconds", "simulated", "s"],
  ["wall_seconds", "wall clock", "s"],
  ["newton_iterations", "Newton iterations", ""],
  ["max_contact_count", "contacts, at most", ""],
  ["mean_contact_count", "contacts, mean", ""],
  ["min_distance", "smallest distance", "m"],
  ["max_stretch", "largest stretch", ""],
  ["intersections", "intersections", ""],
  ["inverted_elements", "inverted elements", ""],
  ["peak_rss_bytes", "memory", "MB"],
  ["threads", "threads", ""],
];

export class Panel {
  readonly root = element("aside", { class: "panel", "aria-label": "settings" });
  private readonly bodies = element("div", { class: "bodies" });
  private readonly facts = element("table", { class: "facts", id: "facts" });
  private readonly scene = element("pre", { class: "scene" });
  private readonly message = element("p", { class: "hint", id: "export-message" });
  private readonly low = element("input", { type: "number", step: "any", id: "range-low", "aria-label": "lowest value" });
  private readonly high = element("input", { type: "number", step: "any", id: "range-high", "aria-label": "highest value" });
  private readonly rangeRows: HTMLElement;
  private readonly handRow: HTMLElement;
  private readonly components: HTMLElement;
  private readonly progress = element("p", { class: "hint", id: "range-progress" });
  private readonly compareRow: HTMLElement;
  private readonly clipPlace = element("input", { type: "range", min: "0", max: "1", step: "0.002", value: "0.5", id: "clip-place", "aria-label": "place of the cut" });
  private readonly clipRow: HTMLElement;
  rangeMode: RangeMode = "run";

  constructor(
    private readonly look: Look,
    private readonly actions: PanelActions,
    picked: HTMLElement,
    canExport: boolean,
  ) {
    this.handRow = element("div", { class: "range", hidden: "" }, [this.low, "to", this.high]);
    for (const input of [this.low, this.high]) input.addEventListener("change", () => this.readRange());
    this.components = select("Part", "component", [["length", "length"], ["0", "x"], ["1", "y"], ["2", "z"]], "length", (value) => {
      look.component = value === "length" ? "length" : (Number(value) as 0 | 1 | 2);
      actions.colorChanged();
    });
    this.rangeRows = element("div", { hidden: "" }, [...this.scaleControls()]);
    this.clipRow = element("div", { class: "row", hidden: "" }, [
      this.clipPlace,
      checkbox("other side", "clip-flip", false, (value) => {
        if (look.clip) look.clip.flip = value;
        actions.changed();
      }),
    ]);
    this.compareRow = select("Compare", "compare", [["off", "no"], ["ghost", "over it"], ["beside", "beside it"]], "off", (value) => actions.compare(value as CompareMode));
    this.compareRow.hidden = true;
    this.root.append(
      section("colour", true, [...this.colorControls()]),
      section("view", true, [...this.viewControls()]),
      section("bodies", true, [this.bodies]),
      section("measure", true, [picked]),
      section("run", false, [this.facts]),
      section("export", false, [...this.exportControls(canExport)]),
      section("scene", false, [this.scene]),
    );
  }

  private *colorControls(): Generator<Node> {
    const { look, actions } = this;
    yield select("Colour", "color", [["body", "body"]], look.color, (value) => {
      look.color = value;
      if (this.rangeMode === "hand") this.setRangeMode("run");
      actions.colorChanged();
    });
    yield this.rangeRows;
    yield checkbox("contact forces", "contacts", look.contacts, (value) => ((look.contacts = value), actions.colorChanged()));
  }

  private *scaleControls(): Generator<Node> {
    const { look, actions } = this;
    yield this.components;
    const maps = Object.entries(MAPS).map(([key, map]): [string, string] => [key, map.title]);
    yield select("Map", "map", maps, look.scale.map, (value) => ((look.scale.map = value), actions.changed()));
    const modes: [RangeMode, string][] = [["run", "whole run"], ["percentiles", "2 to 98 %"], ["frame", "this frame"], ["hand", "by hand"]];
    yield select("Range", "range-mode", modes, this.rangeMode, (value) => this.setRangeMode(value as RangeMode));
    yield this.handRow;
    yield this.progress;
    yield element("div", { class: "row" }, [
      checkbox("logarithmic", "log", look.scale.logarithmic, (value) => ((look.scale.logarithmic = value), actions.changed())),
      checkbox("lines of equal value", "iso", look.isoLines, (value) => ((look.isoLines = value), actions.changed())),
    ]);
  }

  private *viewControls(): Generator<Node> {
    const { look, actions } = this;
    const modes: [SurfaceMode, string][] = [["surface", "surface"], ["edges", "surface and edges"], ["wireframe", "wireframe"]];
    yield select("Mesh", "mode", modes, look.mode, (value) => ((look.mode = value as SurfaceMode), actions.changed()));
    const finishes: [Finish, string][] = [["matte", "matte"], ["satin", "satin"], ["glossy", "glossy"]];
    yield select("Finish", "finish", finishes, look.finish, (value) => ((look.finish = value as Finish), actions.changed()));
    const flags: ["flat" | "thickness" | "shadows" | "floor", string][] = [
      ["flat", "flat triangles"],
      ["thickness", "thickness"],
      ["shadows", "shadows"],
      ["floor", "floor"],
    ];
    const row = element("div", { class: "row" });
    for (const [name, label] of flags) row.append(checkbox(label, name, look[name], (value) => ((look[name] = value), actions.changed())));
    row.append(checkbox("orthographic", "orthographic", false, (value) => actions.orthographic(value)));
    yield row;
    yield* this.clipControls();
    yield this.compareRow;
    const views: [string, [number, number, number]][] = [["x", [1, 0, 0]], ["−x", [-1, 0, 0]], ["y", [0, 1, 0]], ["−y", [0, -1, 0]], ["z", [0, 0, 1]], ["−z", [0, 0, -1]]];
    yield element("div", { class: "row", role: "group", "aria-label": "camera" }, [
      button("fit", "Show all of this frame (F)", () => actions.fit(false), "view-fit"),
      button("run", "Show where the whole run takes place (Shift and F)", () => actions.fit(true), "view-run"),
      button("home", "Back to the direction of the start (H)", () => actions.home(), "view-home"),
    ]);
    yield element("div", { class: "row axes-row", role: "group", "aria-label": "look along an axis" },
      views.map(([name, direction]) => button(name, `Look from ${name}`, () => actions.look(direction), `view-${name}`)));
  }

  private *clipControls(): Generator<Node> {
    const { look, actions } = this;
    const axes: [string, string][] = [["", "no"], ["0", "x"], ["1", "y"], ["2", "z"]];
    this.clipPlace.addEventListener("input", () => {
      if (look.clip) look.clip.place = Number(this.clipPlace.value);
      actions.changed();
    });
    yield select("Cut along", "clip", axes, "", (value) => {
      look.clip =
        value === "" ? null : { axis: Number(value) as 0 | 1 | 2, place: Number(this.clipPlace.value), flip: look.clip?.flip ?? false };
      actions.changed();
    });
    yield this.clipRow;
  }

  private *exportControls(canExport: boolean): Generator<Node> {
    const { actions } = this;
    yield element("div", { class: "row" }, [
      button("picture", "Save the view as PNG (P)", actions.picture, "export-png"),
      button("film", "Save all frames as a film (WebM)", actions.film, "export-webm"),
      button("pictures", "Save a PNG of every frame, in a ZIP file", actions.pictures, "export-zip"),
      ...(canExport ? [button("page", "Save the run as one HTML page that needs no server", actions.page, "export-html")] : []),
      button("link", "Copy an address that restores this view", actions.link, "export-link"),
    ]);
    yield this.message;
  }

  setRangeMode(mode: RangeMode): void {
    this.rangeMode = mode;
    this.actions.changed();
  }

  private readRange(): void {
    const low = Number.parseFloat(this.low.value);
    const high = Number.parseFloat(this.high.value);
    if (!Number.isFinite(low) || !Number.isFinite(high) || high <= low) return;
    Object.assign(this.look.scale, { low, high });
    this.setRangeMode("hand");
  }

  setCompare(name: string | undefined): void {
    this.compareRow.hidden = !name;
    if (name) this.compareRow.title = `Compare with ${name}`;
  }

  setProgress(text: string): void {
    this.progress.textContent = text;
  }

  /** The controls follow what keys and other controls changed. */
  refresh(components: number): void {
    const { look } = this;
    const set = (id: string, value: boolean | string) => {
      const item = this.root.querySelector<HTMLInputElement | HTMLSelectElement>(`#${id}`);
      if (item instanceof HTMLInputElement) item.checked = value === true;
      else if (item) item.value = String(value);
    };
    for (const name of ["flat", "thickness", "shadows", "floor", "contacts", "trail"] as const) set(name, look[name]);
    for (const name of ["mode", "color", "finish", "component"] as const) set(name, String(look[name]));
    set("map", look.scale.map);
    set("log", look.scale.logarithmic);
    set("iso", look.isoLines);
    set("range-mode", this.rangeMode);
    set("clip", look.clip ? String(look.clip.axis) : "");
    if (look.clip) this.clipPlace.value = String(look.clip.place);
    this.clipRow.hidden = look.clip === null;
    this.rangeRows.hidden = look.color === "body";
    this.components.hidden = components !== 3;
    this.handRow.hidden = this.rangeMode !== "hand";
    for (const [input, value] of [[this.low, look.scale.low], [this.high, look.scale.high]] as const)
      if (document.activeElement !== input) input.value = String(Number(value.toPrecision(5)));
  }

  setFields(fields: FieldInfo[]): void {
    const list = this.root.querySelector<HTMLSelectElement>("#color");
    const names = fields.map((field) => field.name).filter((name) => name !== "body");
    if (list) setOptions(list, [["body", "body"], ...names.map((name): [string, string] => [name, fieldTitle(name)])], this.look.color);
    const contacts = this.root.querySelector<HTMLInputElement>("#contacts");
    if (contacts) {
      contacts.disabled = !names.includes(CONTACT_FIELD);
      contacts.parentElement?.setAttribute(
        "title",
        contacts.disabled ? 'The frames have none: add "contact_force" to output.fields of the scene' : "Force of contact on each point",
      );
    }
  }

  setScene(facts: SceneFacts, text: string | null): void {
    this.bodies.replaceChildren(
      ...facts.bodies.map((body, i) => {
        const color = css(body.obstacle ? neutralColor : bodyColor(i));
        const box = checkbox(body.name, `body-${i}`, !this.look.hidden.has(i), (on) => {
          if (on) this.look.hidden.delete(i);
          else this.look.hidden.add(i);
          this.actions.changed();
        });
        box.insertBefore(element("i", { class: "swatch", style: `background:${color}` }), box.lastChild);
        box.append(element("small", {}, [body.type]));
        return box;
      }),
    );
    this.scene.textContent = text ?? "this folder has no scene.json";
  }

  setFacts(state: RunState, facts: SceneFacts, run: Record<string, unknown> | null, size: string): void {
    const rows: [string, string][] = [
      ["scene", facts.name],
      ["folder", state.folder],
      ["frames", String(state.frames.length)],
      ["drawn", size],
    ];
    if (!run) rows.push(["status", state.age < 120 ? "running" : "no summary: running, or killed"]);
    for (const [key, label, unit] of FACT_ROWS) {
      const value = run?.[key];
      if (value === undefined || value === null) continue;
      const shown = key === "peak_rss_bytes" ? Number(value) / 1e6 : value;
      rows.push([label, `${typeof shown === "number" ? shortNumber(shown) : String(shown)} ${unit}`.trim()]);
    }
    if (run?.message) rows.push(["message", String(run.message)]);
    rows.push(["abut", state.abut]);
    this.facts.replaceChildren(
      ...rows.map(([label, value]) => element("tr", {}, [element("th", {}, [label]), element("td", {}, [value])])),
    );
  }

  say(text: string): void {
    this.message.textContent = text;
  }
}
