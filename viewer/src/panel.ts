// The side panel: what colours mean, what is shown, bodies, facts.
import { bodyColor, css, neutralColor } from "./colors";
import type { SceneFacts } from "./facts";
import { fieldTitle } from "./legend";
import type { FieldInfo } from "./packet";
import type { RunState } from "./source";
import { CONTACT_FIELD } from "./solids";
import type { Look, SurfaceMode } from "./stage";
import { button, checkbox, element, select, setOptions, shortNumber } from "./ui";

export interface PanelActions {
  changed(): void;
  colorChanged(): void;
  picture(): void;
  page(): void;
  theme(): void;
  fit(direction?: [number, number, number]): void;
}

function section(title: string, open: boolean, children: (Node | string)[]): HTMLDetailsElement {
  const made = element("details", {}, [element("summary", {}, [title]), ...children]);
  made.open = open;
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
  private readonly rangeRow: HTMLElement;
  private readonly clipPlace = element("input", { type: "range", min: "0", max: "1", step: "0.002", value: "0.5", id: "clip-place" });
  /** Null: the range of all values seen so far. */
  fixedRange: [number, number] | null = null;

  constructor(
    private readonly look: Look,
    private readonly actions: PanelActions,
    canExport: boolean,
  ) {
    this.rangeRow = element("div", { class: "range", hidden: "" }, [
      this.low,
      "to",
      this.high,
      button("auto", "Range of all values seen so far", () => this.setRange(null), "range-auto"),
    ]);
    for (const input of [this.low, this.high]) input.addEventListener("change", () => this.readRange());
    this.root.append(
      section("Show", true, [...this.showControls()]),
      section("Bodies", true, [this.bodies]),
      section("Run", true, [this.facts]),
      section("Export", false, [
        element("div", { class: "row" }, [
          button("PNG", "Save the view as a picture (P)", actions.picture, "export-png"),
          ...(canExport ? [button("HTML", "Save the run as one page that needs no server", actions.page, "export-html")] : []),
        ]),
        this.message,
      ]),
      section("Scene", false, [this.scene]),
    );
  }

  private *showControls(): Generator<Node> {
    const { look, actions } = this;
    yield select("Colour", "color", [["body", "body"]], look.color, (value) => {
      look.color = value;
      this.fixedRange = null;
      actions.colorChanged();
    });
    yield this.rangeRow;
    const modes: [SurfaceMode, string][] = [["surface", "surface"], ["edges", "surface and edges"], ["wireframe", "wireframe"]];
    yield select("Mesh", "mode", modes, look.mode, (value) => {
      look.mode = value as SurfaceMode;
      actions.changed();
    });
    const flags: [keyof Look & ("flat" | "thickness" | "shadows"), string][] = [
      ["flat", "flat triangles"],
      ["thickness", "thickness"],
      ["shadows", "shadows"],
    ];
    const row = element("div", { class: "row" });
    for (const [name, label] of flags)
      row.append(checkbox(label, name, look[name], (value) => ((look[name] = value), actions.changed())));
    row.append(checkbox("contact forces", "contacts", look.contacts, (value) => ((look.contacts = value), actions.colorChanged())));
    yield row;
    yield* this.clipControls();
    const views: [string, [number, number, number] | undefined][] = [["fit", undefined], ["x", [1, 0, 0]], ["y", [1e-3, 1, 1e-3]], ["z", [0, 0, 1]]];
    yield element("div", { class: "row" }, [
      "View",
      ...views.map(([name, direction]) =>
        button(name, direction ? `Look along ${name}` : "Show everything (F)", () => actions.fit(direction), `view-${name}`),
      ),
      button("◐", "Dark or light (D)", actions.theme, "theme"),
    ]);
  }

  private *clipControls(): Generator<Node> {
    const { look, actions } = this;
    const axes: [string, string][] = [["", "no"], ["0", "x"], ["1", "y"], ["2", "z"]];
    const place = element("div", { class: "row", hidden: "" }, [
      this.clipPlace,
      checkbox("other side", "clip-flip", false, (value) => {
        if (look.clip) look.clip.flip = value;
        actions.changed();
      }),
    ]);
    this.clipPlace.addEventListener("input", () => {
      if (look.clip) look.clip.place = Number(this.clipPlace.value);
      actions.changed();
    });
    yield select("Cut along", "clip", axes, "", (value) => {
      place.hidden = value === "";
      look.clip =
        value === "" ? null : { axis: Number(value) as 0 | 1 | 2, place: Number(this.clipPlace.value), flip: look.clip?.flip ?? false };
      actions.changed();
    });
    yield place;
  }

  private setRange(range: [number, number] | null): void {
    this.fixedRange = range;
    this.actions.changed();
  }

  private readRange(): void {
    const low = Number.parseFloat(this.low.value);
    const high = Number.parseFloat(this.high.value);
    if (Number.isFinite(low) && Number.isFinite(high) && high > low) this.setRange([low, high]);
  }

  /** The controls follow what keys and other controls changed. */
  refresh(): void {
    for (const name of ["flat", "thickness", "shadows", "contacts"] as const) {
      const box = this.root.querySelector<HTMLInputElement>(`#${name}`);
      if (box) box.checked = this.look[name];
    }
    for (const name of ["mode", "color"] as const) {
      const list = this.root.querySelector<HTMLSelectElement>(`#${name}`);
      if (list) list.value = this.look[name];
    }
    this.rangeRow.hidden = this.look.color === "body";
    if (document.activeElement !== this.low) this.low.value = String(Number(this.look.range[0].toPrecision(5)));
    if (document.activeElement !== this.high) this.high.value = String(Number(this.look.range[1].toPrecision(5)));
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
