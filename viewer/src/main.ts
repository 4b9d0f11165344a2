// The page: reads the run, shows frames, keeps controls, charts and picture together.
import "./style.css";
import { Charts } from "./charts";
import { exportPage, pictureOf } from "./export";
import { type SceneFacts, readScene } from "./facts";
import { FrameStore, rangeOf } from "./frames";
import { Legend, fieldTitle } from "./legend";
import type { Frame } from "./packet";
import { Panel } from "./panel";
import { Player } from "./player";
import { CONTACT_FIELD } from "./solids";
import { EmbeddedSource, HttpSource, type RunSource, type RunState, unpackRun } from "./source";
import { type Look, Stage } from "./stage";
import { parseTable } from "./table";
import { button, checkbox, download, element, iconButton, setIcon, shortNumber } from "./ui";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const KEYS = [
  ["Space", "play and pause"],
  ["← →", "one frame back or on; with Shift ten"],
  ["Home End", "first and last frame"],
  ["+ −", "speed"],
  ["C", "next colour"],
  ["E", "surface, edges, wireframe"],
  ["F", "show everything"],
  ["K", "contact forces"],
  ["L", "follow a run that goes on"],
  ["B", "charts"],
  ["D", "dark or light"],
  ["P", "save a picture"],
  ["?", "this list"],
];

interface SavedView {
  camera: number[];
  color: string;
  mode: Look["mode"];
  index: number;
}

class App {
  private readonly look: Look = {
    color: "body",
    range: [0, 1],
    mode: "surface",
    flat: false,
    thickness: true,
    shadows: true,
    contacts: false,
    clip: null,
    hidden: new Set(),
  };
  private readonly player = new Player();
  private readonly store: FrameStore;
  private readonly stage: Stage;
  private readonly charts = new Charts((time) => this.seek(this.player.indexAt(time)));
  private readonly legend = new Legend();
  private readonly panel: Panel;
  private readonly view = element("div", { class: "view" });
  private readonly slider = element("input", { type: "range", min: "0", max: "0", value: "0", id: "slider", "aria-label": "frame" });
  private readonly clock = element("output", { id: "clock", class: "clock" });
  private readonly status = element("span", { id: "status", class: "status", role: "status" });
  private readonly speed = element("select", { id: "speed", title: "Speed (+ and −)", "aria-label": "speed" });
  private readonly help = element("dialog", { id: "help" });
  private playButton!: HTMLButtonElement;
  private state: RunState | null = null;
  private facts: SceneFacts | null = null;
  private shown: Frame | null = null;
  private lastTick = performance.now();
  private shownKey = "";
  private lookVersion = 0;
  private run: Record<string, unknown> | null = null;
  private readonly displayTimes: number[] = []; // ms of work per frame, drawing not included

  constructor(
    private readonly source: RunSource,
    private readonly saved: SavedView | undefined,
  ) {
    // "?cache=100" keeps at most 100 MB of frames, for small machines.
    const megabytes = Number(new URLSearchParams(location.search).get("cache"));
    this.store = new FrameStore(source, megabytes > 0 ? 1e6 * megabytes : undefined);
    const canvas = element("canvas", { id: "stage", tabindex: "0", "aria-label": "3D view: drag to turn, wheel to come nearer" });
    this.view.append(canvas, this.legend.root);
    this.stage = new Stage(canvas);
    this.panel = new Panel(
      this.look,
      {
        changed: () => this.invalidate(),
        colorChanged: () => this.fieldsChanged(),
        picture: () => void this.savePicture(),
        page: () => void this.savePage(),
        theme: () => this.toggleTheme(),
        fit: (direction) => this.stage.fit(direction),
      },
      source.live,
    );
    this.build();
    new ResizeObserver(() => this.stage.resize(this.view.clientWidth, this.view.clientHeight)).observe(this.view);
    window.addEventListener("keydown", (event) => this.key(event));
    if (saved) {
      this.look.color = saved.color;
      this.look.mode = saved.mode;
      this.store.setFields(this.neededFields());
    }
  }

  // ---- the page ----

  private build(): void {
    this.playButton = iconButton("play", "Play and pause (Space)", () => this.togglePlay(), "play");
    for (const value of SPEEDS) this.speed.append(element("option", { value: String(value) }, [`${value}×`]));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => {
      this.player.speed = Number(this.speed.value);
      this.speed.blur();
    });
    this.slider.addEventListener("input", () => {
      this.player.play(false);
      this.seek(Number(this.slider.value));
    });
    const bar = element("footer", { class: "bar" }, [
      iconButton("first", "First frame (Home)", () => this.seek(0), "first"),
      iconButton("back", "One frame back (←)", () => this.step(-1), "back"),
      this.playButton,
      iconButton("forward", "One frame on (→)", () => this.step(1), "forward"),
      iconButton("last", "Last frame (End)", () => this.seek(this.player.frames.length - 1), "last"),
      this.slider,
      this.clock,
      this.speed,
      checkbox("loop", "loop", true, (value) => (this.player.loop = value)),
      ...(this.source.live ? [checkbox("follow", "follow", true, (value) => (this.player.follow = value))] : []),
      button("?", "Keys (?)", () => this.toggleHelp(), "keys"),
    ]);
    this.help.append(
      element("h2", {}, ["Keys"]),
      element("table", {}, KEYS.map(([key, what]) => element("tr", {}, [element("th", {}, [key]), element("td", {}, [what])]))),
      element("p", {}, ["Drag: turn. Right button or Shift and drag: move. Wheel: nearer and further."]),
      button("close", "Close", () => this.help.close()),
    );
    const app = document.getElementById("app") as HTMLElement;
    app.append(
      element("header", { class: "top" }, [element("b", { id: "title" }, ["abut"]), this.status]),
      this.view,
      this.panel.root,
      this.charts.root,
      bar,
      this.help,
    );
    this.setTheme(localTheme());
  }

  private setTheme(theme: string): void {
    document.documentElement.dataset.theme = theme;
    const style = getComputedStyle(document.documentElement);
    this.stage.setBackground(style.getPropertyValue("--stage").trim(), style.getPropertyValue("--line").trim());
    this.charts.invalidate();
  }

  private toggleTheme(): void {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("abut-theme", next);
    } catch {
      // pages opened from a file may have no storage
    }
    this.setTheme(next);
  }

  private toggleHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLInputElement && target.type === "number") return;
    if (target instanceof HTMLSelectElement) return;
    const actions: Record<string, () => void> = {
      " ": () => this.togglePlay(),
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.seek(0),
      End: () => this.seek(this.player.frames.length - 1),
      "+": () => this.changeSpeed(1),
      "=": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      c: () => this.nextColor(),
      e: () => this.nextMode(),
      f: () => this.stage.fit(),
      k: () => ((this.look.contacts = !this.look.contacts), this.fieldsChanged()),
      l: () => this.toggleFollow(),
      b: () => this.toggleCharts(),
      d: () => this.toggleTheme(),
      p: () => void this.savePicture(),
      "?": () => this.toggleHelp(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private toggleCharts(): void {
    document.body.classList.toggle("no-charts");
    this.charts.invalidate();
  }

  private toggleFollow(): void {
    this.player.follow = !this.player.follow;
    const box = document.querySelector<HTMLInputElement>("#follow");
    if (box) box.checked = this.player.follow;
  }

  private changeSpeed(by: number): void {
    const at = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.player.speed) + by));
    this.player.speed = SPEEDS[at];
    this.speed.value = String(SPEEDS[at]);
  }

  private nextColor(): void {
    const list = document.querySelector<HTMLSelectElement>("#color");
    if (!list || list.options.length === 0) return;
    this.look.color = list.options[(list.selectedIndex + 1) % list.options.length].value;
    this.panel.fixedRange = null;
    this.fieldsChanged();
  }

  private nextMode(): void {
    const modes: Look["mode"][] = ["surface", "edges", "wireframe"];
    this.look.mode = modes[(modes.indexOf(this.look.mode) + 1) % modes.length];
    this.invalidate();
  }

  // ---- time ----

  private togglePlay(): void {
    this.player.play(!this.player.playing);
    this.lastTick = performance.now();
    this.showTime();
  }

  private step(by: number): void {
    this.player.play(false);
    this.seek(this.player.index + by);
  }

  private seek(index: number): void {
    this.player.seek(index);
    this.showTime();
  }

  private showTime(): void {
    const { player } = this;
    setIcon(this.playButton, player.playing ? "pause" : "play");
    this.slider.max = String(Math.max(0, player.frames.length - 1));
    this.slider.value = String(player.index);
    const entry = player.entry;
    this.clock.textContent = entry ? `${shortNumber(entry.time)} s · step ${entry.step}` : "no frames yet";
    this.charts.setTime(player.time);
  }

  // ---- frames ----

  private neededFields(): string[] {
    const fields = new Set<string>();
    if (this.look.color !== "body") fields.add(this.look.color);
    if (this.look.contacts) fields.add(CONTACT_FIELD);
    return [...fields];
  }

  private fieldsChanged(): void {
    this.store.setFields(this.neededFields());
    this.invalidate();
  }

  private invalidate(): void {
    this.lookVersion++;
  }

  private range(frame: Frame): [number, number] | null {
    if (this.look.color === "body") return null;
    if (this.panel.fixedRange) return this.panel.fixedRange;
    const field = frame.fields.get(this.look.color);
    return this.store.ranges.get(this.look.color) ?? (field ? rangeOf(field.values, field.components) : null);
  }

  private display(frame: Frame): void {
    const started = performance.now();
    const range = this.range(frame);
    if (range) this.look.range = range;
    this.legend.show(this.look.color, range);
    const topology = this.store.topologyOf(frame);
    this.stage.show(frame, topology, this.store.bounds, this.look);
    if (!this.shown && this.saved) this.stage.setCameraState(this.saved.camera);
    if (!this.shown || this.shown.topology !== frame.topology) {
      this.panel.setFields(frame.available);
      if (this.stage.triangleCount > 300000) this.look.shadows = false;
    }
    this.shown = frame;
    this.panel.refresh();
    this.refreshFacts();
    this.displayTimes.push(performance.now() - started);
    if (this.displayTimes.length > 200) this.displayTimes.shift();
  }

  /** While playing: the last frame up to the wanted one that is loaded, if any after the present one is. */
  private available(wanted: number): number {
    const { player, store } = this;
    if (!player.playing || wanted <= player.index) return wanted;
    for (let i = wanted; i > player.index; i--) if (store.has(player.frames[i])) return i;
    return wanted;
  }

  /** Shows the frame under the player when it is there, and sees to it that the next ones come. */
  private tick(): void {
    const now = performance.now();
    const seconds = Math.min(0.25, (now - this.lastTick) / 1000);
    this.lastTick = now;
    const { player, store } = this;
    const index = this.available(player.wanted(seconds));
    const entry = player.frames[index];
    if (entry) {
      const key = `${entry.step} ${entry.version} ${this.lookVersion}`;
      const frame = store.peek(entry);
      if (frame) {
        if (index !== player.index) {
          player.arrived(index);
          this.showTime();
        }
        if (key !== this.shownKey) {
          this.shownKey = key;
          void store.load(entry); // marks it as used
          this.display(frame);
        }
      } else {
        if (player.playing) player.wait();
        if (!store.isBusy) store.load(entry).catch((error: unknown) => this.complain(error));
      }
      for (const next of player.upcoming(player.playing ? 12 : 2)) {
        if (store.isBusy) break;
        if (!store.has(next)) store.load(next).catch((error: unknown) => this.complain(error));
      }
      if (!player.playing && this.playButton.dataset.icon !== "play") this.showTime();
    }
    this.stage.draw();
    this.charts.draw();
  }

  private complain(error: unknown): void {
    this.setStatus(error instanceof Error ? error.message : String(error), "bad");
  }

  private setStatus(text: string, kind: string): void {
    this.status.textContent = text;
    this.status.dataset.kind = kind;
  }

  // ---- the run ----

  private async readFile(name: "scene.json" | "run.json" | "steps.csv"): Promise<void> {
    const text = await this.source.text(name);
    if (name === "scene.json") {
      this.facts = readScene(text, this.state?.folder ?? "run");
      this.stage.setFacts(this.facts);
      this.panel.setScene(this.facts, text);
      const title = document.getElementById("title");
      if (title) title.textContent = this.facts.name;
      document.title = `${this.facts.name} – abut`;
      this.invalidate();
    } else if (name === "run.json") {
      this.run = text ? (JSON.parse(text) as Record<string, unknown>) : null;
    } else if (text) {
      this.charts.setTable(parseTable(text));
    }
  }

  private refreshFacts(): void {
    if (!this.state || !this.facts) return;
    const points = this.shown ? this.shown.points.length / 3 : 0;
    const size = `${this.stage.triangleCount.toLocaleString("en")} triangles, ${points.toLocaleString("en")} points`;
    this.panel.setFacts(this.state, this.facts, this.state.finished ? this.run : null, size);
  }

  /** One look at the run; files are read again when their version has changed. */
  async poll(): Promise<void> {
    const before = this.state;
    const state = await this.source.state();
    this.state = state;
    if (!before) await this.readFile("scene.json");
    for (const name of ["scene.json", "run.json", "steps.csv"] as const)
      if (state.files[name] !== before?.files[name] && (before || name !== "scene.json")) await this.readFile(name);
    const running = !state.finished && state.age < 120;
    const count = this.player.frames.length;
    this.player.setFrames(state.frames, running);
    if (count !== state.frames.length || !before) this.showTime();
    if (!before && this.saved) this.seek(this.saved.index);
    this.setStatus(
      running ? `running · ${state.frames.length} frames` : state.finished ? String(this.run?.status ?? "finished") : "stopped without a summary",
      running ? "live" : this.run?.status === "ok" || !state.finished ? "good" : "bad",
    );
    this.refreshFacts();
  }

  /** The first and the last frame say how large the picture must be. */
  private async learnExtent(): Promise<void> {
    const { frames } = this.player;
    const ends = frames.length > 1 ? [frames[0], frames[frames.length - 1]] : frames;
    await Promise.allSettled(ends.map((entry) => this.store.load(entry)));
  }

  async start(): Promise<void> {
    const again = async () => {
      let pause = 1000;
      try {
        await this.poll();
        if (this.state?.finished) pause = 3000;
      } catch {
        this.setStatus("no answer: the server has ended", "bad");
        pause = 5000;
      }
      if (this.source.live) setTimeout(() => void again(), document.hidden ? 5000 : pause);
    };
    await again();
    await this.learnExtent();
    const loop = () => {
      this.tick();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  // ---- export ----

  private fileName(extension: string): string {
    return `${(this.state?.folder ?? "run").replace(/\.run$/, "")}-${this.player.entry?.step ?? 0}.${extension}`;
  }

  private async savePicture(): Promise<void> {
    try {
      const legend = this.look.color === "body" ? null : { name: this.look.color, range: this.look.range };
      download(this.fileName("png"), await pictureOf(this.stage, legend));
    } catch (error) {
      this.complain(error);
    }
  }

  private async savePage(): Promise<void> {
    if (!this.state || this.state.frames.length === 0) return;
    const view: SavedView = { camera: this.stage.cameraState(), color: this.look.color, mode: this.look.mode, index: this.player.index };
    const fields = (this.shown?.available ?? []).map((field) => field.name).filter((name) => name !== "body");
    try {
      const made = await exportPage(this.source, this.state, fields, view, (done, all) =>
        this.panel.say(`${done} of ${all} frames`),
      );
      view.index = Math.min(view.index, made.frames - 1);
      download(this.fileName("html"), made.html);
      const size = shortNumber(made.html.size / 1e6);
      this.panel.say(`${made.frames} of ${this.state.frames.length} frames, ${size} MB`);
    } catch (error) {
      this.complain(error);
    }
  }

  /** For the tests of the page. */
  probe(): Record<string, unknown> {
    return {
      index: this.player.index,
      frames: this.player.frames.length,
      playing: this.player.playing,
      status: this.status.textContent,
      shownStep: this.shown?.step ?? null,
      color: this.look.color,
      colorTitle: fieldTitle(this.look.color),
      range: this.look.range,
      triangles: this.stage.triangleCount,
      pictures: this.stage.pictures,
      chartRows: this.charts.rows,
      displayTimes: [...this.displayTimes],
      cachedFrames: this.store.count,
      cachedBytes: this.store.usedBytes,
      camera: this.stage.cameraState(),
      points: this.shown ? Array.from(this.shown.points.subarray(0, 30)) : [],
    };
  }
}

function localTheme(): string {
  try {
    const kept = localStorage.getItem("abut-theme");
    if (kept) return kept;
  } catch {
    // see toggleTheme
  }
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

async function main(): Promise<void> {
  const embedded = document.getElementById("abut-data")?.textContent;
  const run = embedded ? await unpackRun(embedded) : null;
  const app = new App(run ? new EmbeddedSource(run) : new HttpSource(), run?.view as SavedView | undefined);
  Object.assign(window, { abut: app });
  await app.start();
}

void main();
