// The page: reads the run, shows frames, keeps controls, charts and picture together.
import "./style.css";
import { Charts } from "./charts";
import { type LegendOf, exportPage, paintPicture, pngOf } from "./export";
import { type SceneFacts, readScene } from "./facts";
import { FrameStore, rangeOf } from "./frames";
import { isTyping, KEYS } from "./keys";
import { Layout } from "./layout";
import { Legend, fieldTitle } from "./legend";
import { type SavedView, applyView, flagsOf, readLink, writeLink } from "./link";
import { Overlay } from "./overlay";
import type { Frame } from "./packet";
import { type CompareMode, Panel } from "./panel";
import { Picker } from "./picker";
import { Play } from "./play";
import { Player } from "./player";
import { Ranges } from "./ranges";
import { canRecord, recordWebm, zip } from "./record";
import { CONTACT_FIELD } from "./solids";
import { EmbeddedSource, HttpSource, LARGE, NoServer, type RunSource, type RunState, unpackRun } from "./source";
import { type Look, Stage } from "./stage";
import { showProblem } from "./start";
import { parseTable } from "./table";
import { button, checkbox, download, element, iconButton, recall, remember, setIcon, shortNumber } from "./ui";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
/** Passes per picture of a film: less than at rest, as there are many. */
const FILM_PASSES = 8;

class App {
  private readonly look: Look = {
    color: "body",
    component: "length",
    scale: { map: "dusk", low: 0, high: 1, logarithmic: false },
    isoLines: false,
    mode: "surface",
    finish: "satin",
    flat: false,
    thickness: true,
    shadows: true,
    floor: true,
    contacts: false,
    trail: true,
    clip: null,
    hidden: new Set(),
  };
  private readonly player = new Player();
  private readonly store: FrameStore;
  private readonly otherStore: FrameStore | null;
  private readonly stage: Stage;
  private readonly charts = new Charts((time) => this.seek(this.player.indexAt(time)));
  private readonly legend = new Legend();
  private readonly overlay: Overlay;
  private readonly panel: Panel;
  private readonly picker: Picker;
  private readonly ranges: Ranges;
  private readonly layout: Layout;
  private readonly play: Play;
  private tableRead = 0;
  private pollSoon: () => void = () => {};
  private readonly view = element("div", { class: "view" });
  private readonly slider = element("input", { type: "range", min: "0", max: "0", value: "0", id: "slider", "aria-label": "frame" });
  private readonly clock = element("output", { id: "clock", class: "clock" });
  private readonly status = element("span", { id: "status", class: "status", role: "status" });
  private readonly speed = element("select", { id: "speed", title: "Speed (+ and −)", "aria-label": "speed" });
  private readonly help = element("dialog", { id: "help", "aria-label": "keys" });
  private playButton!: HTMLButtonElement;
  private state: RunState | null = null;
  private facts: SceneFacts | null = null;
  private shown: Frame | null = null;
  private lastTick = performance.now();
  private shownKey = "";
  private lookVersion = 0;
  private run: Record<string, unknown> | null = null;
  private saved: SavedView | null;
  private compare: CompareMode = "off";
  private recording = false;
  private otherState: RunState | null = null;
  private readonly displayTimes: number[] = []; // ms of work per frame, drawing not included

  constructor(
    private readonly source: RunSource,
    saved: SavedView | null,
  ) {
    // "?cache=100" keeps at most 100 MB of frames, for small machines.
    const megabytes = Number(new URLSearchParams(location.search).get("cache"));
    const limit = megabytes > 0 ? 1e6 * megabytes : undefined;
    this.saved = readLink(location.hash) ?? saved;
    this.store = new FrameStore(source, limit);
    this.otherStore = source.other ? new FrameStore(source.other, limit) : null;
    const canvas = element("canvas", { id: "stage", tabindex: "0", "aria-label": "3D view: drag to turn, wheel to come nearer, click to pick a point" });
    this.stage = new Stage(canvas);
    this.overlay = new Overlay(this.stage, (direction) => this.stage.fit(direction));
    this.view.append(canvas, this.overlay.root, this.legend.root, this.overlay.notice);
    this.stage.onDraw = () => this.overlay.update();
    this.ranges = new Ranges(source, () => this.invalidate());
    this.picker = new Picker(this.stage, this.overlay, source, this.look, (body) => this.facts?.bodies[body]?.name ?? `body ${body}`, (time) => this.seek(this.player.indexAt(time)), () => this.fieldsChanged());
    this.panel = new Panel(this.look, this.panelActions(), this.picker.root, source.live);
    this.play = new Play(source, this.stage, () => this.facts, {
      complain: (error) => this.complain(error),
      ordered: () => this.pollSoon(),
      newest: () => this.seek(this.player.frames.length - 1),
      clicked: (point) => this.picker.pick(point),
    });
    this.layout = this.build();
    new ResizeObserver(() => this.stage.resize(this.view.clientWidth, this.view.clientHeight)).observe(this.view);
    window.addEventListener("keydown", (event) => this.key(event));
    this.setTheme(this.saved?.theme ?? localTheme());
    if (this.saved) this.useView(this.saved);
  }

  private panelActions(): ConstructorParameters<typeof Panel>[1] {
    return {
      changed: () => this.invalidate(),
      colorChanged: () => {
        this.fieldsChanged();
        this.picker.colorChanged();
      },
      picture: () => void this.savePicture(),
      film: () => void this.saveFilm(),
      pictures: () => void this.savePictures(),
      page: () => void this.savePage(),
      link: () => void this.copyLink(),
      fit: (all) => this.stage.fit(undefined, true, all),
      home: () => this.stage.home(),
      look: (direction) => this.stage.fit(direction),
      orthographic: (on) => this.setOrthographic(on),
      compare: (how) => {
        this.compare = how;
        this.invalidate();
      },
    };
  }

  // ---- the page ----

  private build(): Layout {
    this.playButton = iconButton("play", "Play and pause (Space)", () => this.togglePlay(), "play");
    for (const value of SPEEDS) this.speed.append(element("option", { value: String(value) }, [`${value}×`]));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => {
      this.setSpeed(Number(this.speed.value));
      this.speed.blur();
    });
    this.slider.addEventListener("input", () => {
      this.halt();
      this.seek(Number(this.slider.value));
    });
    const bar = element("footer", { class: "bar", "aria-label": "time" }, [
      iconButton("first", "First frame (Home)", () => this.goTo(0), "first"),
      iconButton("back", "One frame back (←)", () => this.step(-1), "back"),
      this.playButton,
      iconButton("forward", "One frame on (→)", () => this.step(1), "forward"),
      iconButton("last", "Last frame (End)", () => this.seek(this.player.frames.length - 1), "last"),
      ...this.play.controls,
      this.slider,
      this.clock,
      this.speed,
      checkbox("loop", "loop", true, (value) => (this.player.loop = value)),
      ...(this.source.live ? [checkbox("follow", "follow", true, (value) => (this.player.follow = value))] : []),
    ]);
    this.help.append(
      element("h2", {}, ["Keys"]),
      element("table", {}, KEYS.map(([key, what]) => element("tr", {}, [element("th", {}, [key]), element("td", {}, [what])]))),
      element("p", {}, ["Drag: turn. Right button or Shift and drag: move. Wheel or two fingers: nearer and further. Click: pick a point; Shift and click: ruler."]),
      button("close", "Close", () => this.help.close()),
    );
    const app = document.getElementById("app") as HTMLElement;
    const title = element("b", { id: "title" }, ["abut"]);
    const parts = { title, status: this.status, view: this.view, panel: this.panel.root, charts: this.charts.root, bar };
    const layout = new Layout(app, parts, { theme: () => this.toggleTheme(), help: () => this.toggleHelp(), changed: () => this.charts.invalidate() });
    app.append(this.help);
    return layout;
  }

  private setTheme(theme: string): void {
    document.documentElement.dataset.theme = theme;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
    this.stage.setColors({ top: color("sky-top"), bottom: color("sky-bottom"), floor: color("floor"), grid: color("grid") }, color("line"));
    this.charts.invalidate();
    this.invalidate();
  }

  private toggleTheme(): void {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remember("theme", next);
    this.setTheme(next);
  }

  private toggleHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  private setOrthographic(on: boolean): void {
    this.stage.view.orthographic = on;
    const box = document.querySelector<HTMLInputElement>("#orthographic");
    if (box) box.checked = on;
    this.stage.touch();
  }

  private key(event: KeyboardEvent): void {
    if (isTyping(event) || (this.help.open && event.key !== "?")) return;
    const along = (axis: number) => {
      const direction: [number, number, number] = [0, 0, 0];
      direction[axis] = event.shiftKey ? -1 : 1;
      this.stage.fit(direction);
    };
    const actions: Record<string, () => void> = {
      " ": () => this.togglePlay(),
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.goTo(0),
      Backspace: () => this.play.on && this.play.reset(),
      End: () => this.seek(this.player.frames.length - 1),
      Escape: () => this.picker.clear(),
      "+": () => this.changeSpeed(1),
      "=": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      c: () => this.nextColor(),
      e: () => this.nextMode(),
      f: () => this.stage.fit(undefined, true, event.shiftKey),
      h: () => this.stage.home(),
      x: () => along(0),
      y: () => along(1),
      z: () => along(2),
      o: () => this.setOrthographic(!this.stage.view.orthographic),
      k: () => ((this.look.contacts = !this.look.contacts), this.fieldsChanged()),
      t: () => ((this.look.trail = !this.look.trail), this.picker.colorChanged(), this.invalidate()),
      r: () => document.querySelector<HTMLInputElement>("#ruler")?.click(),
      l: () => this.toggleFollow(),
      b: () => this.layout.toggle("charts"),
      s: () => this.layout.toggle("panel"),
      d: () => this.toggleTheme(),
      p: () => void this.savePicture(),
      "?": () => this.toggleHelp(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private toggleFollow(): void {
    this.player.follow = !this.player.follow;
    const box = document.querySelector<HTMLInputElement>("#follow");
    if (box) box.checked = this.player.follow;
  }

  private changeSpeed(by: number): void {
    const at = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.player.speed) + by));
    this.setSpeed(SPEEDS[at]);
    this.speed.value = String(SPEEDS[at]);
  }

  private setSpeed(speed: number): void {
    this.player.speed = speed;
    this.play.speed(speed);
  }

  private nextColor(): void {
    const list = document.querySelector<HTMLSelectElement>("#color");
    if (!list || list.options.length === 0) return;
    this.look.color = list.options[(list.selectedIndex + 1) % list.options.length].value;
    if (this.panel.rangeMode === "hand") this.panel.setRangeMode("run");
    this.fieldsChanged();
    this.picker.colorChanged();
  }

  private nextMode(): void {
    const modes: Look["mode"][] = ["surface", "edges", "wireframe"];
    this.look.mode = modes[(modes.indexOf(this.look.mode) + 1) % modes.length];
    this.invalidate();
  }

  // ---- time ----

  private togglePlay(): void {
    if (this.play.on) this.play.toggle();
    else this.player.play(!this.player.playing);
    this.lastTick = performance.now();
    this.showTime();
  }

  /** Time stands still, and so does a simulation that is played. */
  private halt(): void {
    this.player.play(false);
    this.play.pause();
  }

  private goTo(index: number): void {
    this.halt();
    this.seek(index);
  }

  private step(by: number): void {
    this.halt();
    if (this.play.on && by > 0 && this.player.index >= this.player.frames.length - 1) this.play.step();
    else this.seek(this.player.index + by);
  }

  private seek(index: number): void {
    this.player.seek(index);
    this.showTime();
  }

  private showTime(): void {
    const { player } = this;
    setIcon(this.playButton, player.playing || !this.play.paused ? "pause" : "play");
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
    if (this.state?.problem) fields.add("problem");
    if (this.picker.state) for (const { name } of this.shown?.available ?? []) if (name !== "body") fields.add(name);
    return [...fields];
  }

  private fieldsChanged(): void {
    this.store.setFields(this.neededFields());
    this.otherStore?.setFields(this.look.color === "body" ? [] : [this.look.color]);
    this.invalidate();
  }

  private invalidate(): void {
    this.lookVersion++;
  }

  /** Sets the ends of the colour scale; what to say about them. */
  private chooseRange(frame: Frame): string {
    const { look, panel } = this;
    const field = frame.fields.get(look.color);
    if (look.color === "body" || panel.rangeMode === "hand") return "";
    const own: [number, number] = field ? rangeOf(field.values, field.components, look.component) : [0, 1];
    if (panel.rangeMode === "frame") {
      Object.assign(look.scale, { low: own[0], high: own[1] });
      return "range of this frame";
    }
    const known = this.ranges.get(look.color, look.component, this.player.frames.length);
    if (!known || known.done === 0) {
      Object.assign(look.scale, { low: own[0], high: own[1] });
      panel.setProgress("looking for the range of the run…");
      return "range of this frame, until that of the run is known";
    }
    const middle = panel.rangeMode === "percentiles";
    Object.assign(look.scale, { low: middle ? known.p2 : known.low, high: middle ? known.p98 : known.high });
    const done = known.done >= known.frames;
    panel.setProgress(done ? "" : `range: ${known.done} of ${known.frames} frames`);
    return `${middle ? "2 to 98 %" : "range"} of ${done ? "the run" : `${known.done} of ${known.frames} frames`}`;
  }

  private display(frame: Frame): void {
    const started = performance.now();
    const note = this.chooseRange(frame);
    const { look } = this;
    this.legend.show(look.color, look.component, look.color === "body" ? null : look.scale, note);
    const topology = this.store.topologyOf(frame);
    this.stage.show(frame, topology, this.store.bounds, look);
    if (!this.shown && this.saved) this.stage.setCameraState(this.saved.camera);
    if (!this.shown || this.shown.topology !== frame.topology) {
      this.panel.setFields(frame.available);
      if (this.stage.triangleCount > 300000) look.shadows = false;
    }
    this.shown = frame;
    this.picker.show(frame);
    this.play.show(frame);
    void this.showOther(frame.time);
    if (this.state?.problem && this.facts) showProblem(this.stage, this.overlay, frame, topology, this.facts, this.state.problem.message);
    this.panel.refresh(frame.available.find((field) => field.name === look.color)?.components ?? 1);
    this.refreshFacts();
    this.displayTimes.push(performance.now() - started);
    if (this.displayTimes.length > 200) this.displayTimes.shift();
  }

  /** The frame of the other run that is nearest in time. */
  private async showOther(time: number): Promise<void> {
    const { otherStore, otherState } = this;
    if (!otherStore || !otherState || this.compare === "off" || otherState.frames.length === 0) {
      this.stage.showGhost(null, null, false);
      return;
    }
    const entry = otherState.frames.reduce((best, item) => (Math.abs(item.time - time) < Math.abs(best.time - time) ? item : best));
    try {
      const frame = await otherStore.load(entry);
      this.stage.showGhost(frame, otherStore.topologyOf(frame), this.compare === "beside");
    } catch (error) {
      this.complain(error);
    }
  }

  /** While playing: the last frame up to the wanted one that is loaded, if any after the present one is. A simulation that is
   * played makes frames faster than they come: the newest that is there is shown. */
  private available(wanted: number): number {
    const { player, store } = this;
    if (this.play.on && !this.play.paused) {
      for (let i = wanted; i > 0; i--) if (store.has(player.frames[i])) return i;
      return wanted;
    }
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
    if (this.recording) return;
    const index = this.available(player.wanted(seconds));
    const entry = player.frames[index];
    if (entry) {
      const key = `${entry.step} ${entry.version} ${this.lookVersion}`;
      const frame = store.peek(entry);
      if (frame) {
        if (index !== player.index && player.playing) {
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
      // The newest one, while an older one is shown.
      const newest = player.entry;
      if (index !== player.index && newest && !store.isBusy && !store.has(newest)) store.load(newest).catch((error: unknown) => this.complain(error));
      for (const next of player.upcoming(player.playing ? 12 : 2)) {
        if (store.isBusy) break;
        if (!store.has(next)) store.load(next).catch((error: unknown) => this.complain(error));
      }
      if (!player.playing && this.play.paused && this.playButton.dataset.icon !== "play") this.showTime();
    }
    this.stage.draw();
    this.charts.draw();
  }

  private complain(error: unknown): void {
    if (error instanceof NoServer) this.serverEnded();
    else this.setStatus(error instanceof Error ? error.message : String(error), "bad");
  }

  private serverEnded(): void {
    this.setStatus("no answer: the server has ended", "bad");
    const folder = this.state?.folder;
    this.overlay.say("bad", "The server has ended", "What was loaded can still be looked at. To go on, start it again and open the address that it prints:", folder ? `abut view ${folder}` : "abut view FOLDER");
  }

  /** What there is to say instead of a picture, or about it. */
  private sayState(running: boolean): void {
    const { state, run } = this;
    if (!state) return;
    const failed = state.finished && run && run.status !== "ok" && run.status !== "interrupted";
    if (state.problem) return;
    if (state.play) {
      const stopped = state.play.message;
      this.overlay.say("bad", stopped ? "A step has failed" : "", stopped ? `${stopped}\nThe last good step is shown. Space tries again; Backspace goes back to the start.` : "");
      return;
    }
    if (state.frames.length === 0 && running) this.overlay.say("", "Waiting for the first frame", "The run has begun; frames appear here by themselves.");
    else if (state.frames.length === 0) this.overlay.say("bad", "There are no frames", failed ? String(run.message ?? run.status) : "The folder has no frames: the run wrote none (output.every), or was stopped before the first.");
    else if (failed && this.player.index === this.player.frames.length - 1) this.overlay.say("bad", `The run ended early: ${String(run.status)}`, String(run.message ?? ""));
    else this.overlay.say("", "", "");
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
    const points = this.shown ? this.shown.pointCount : 0;
    const kept = shortNumber(Math.round(this.store.usedBytes / 1e5) / 10);
    const size = `${this.stage.triangleCount.toLocaleString("en")} triangles, ${points.toLocaleString("en")} points; ${this.store.count} frames kept, ${kept} MB`;
    this.panel.setFacts(this.state, this.facts, this.state.finished ? this.run : null, size);
  }

  /** The table of a scene that is played grows with every frame: half a second of it at a time, and all when it pauses. */
  private isTime(name: string): boolean {
    if (!this.play.on || name !== "steps.csv") return true;
    if (this.play.paused || performance.now() - this.tableRead > 500) {
      this.tableRead = performance.now();
      return true;
    }
    if (this.state) this.state.files[name] = "";
    return false;
  }

  /** One look at the run; files are read again when their version has changed. */
  async poll(): Promise<void> {
    const before = this.state;
    const state = await this.source.state();
    this.state = state;
    if (!before) await this.readFile("scene.json");
    for (const name of ["scene.json", "run.json", "steps.csv"] as const)
      if (state.files[name] !== before?.files[name] && (before || name !== "scene.json") && this.isTime(name)) await this.readFile(name);
    const running = !state.finished && state.age < 120;
    this.play.update(state.play);
    const count = this.player.frames.length;
    this.player.setFrames(state.frames, running);
    if (count !== state.frames.length || !before) this.showTime();
    if (!before && this.saved) this.seek(Math.max(0, state.frames.findIndex((entry) => entry.step === this.saved?.step)));
    if (state.problem) this.setStatus("refused start", "bad");
    else if (this.play.on) this.setStatus(this.play.words(), this.play.message ? "bad" : this.play.paused ? "" : "live");
    else this.setStatus(
      running ? `running · ${state.frames.length} frames` : state.finished ? String(this.run?.status ?? "finished") : "stopped without a summary",
      running ? "live" : this.run?.status === "ok" || !state.finished ? "good" : "bad",
    );
    this.sayState(running);
    this.panel.setCompare(state.other);
    if (state.other && !this.otherState && this.source.other) this.otherState = await this.source.other.state();
    if (state.problem && !before) this.fieldsChanged();
    this.refreshFacts();
  }

  /** The first and the last frame say how large the picture must be. Of a large run the first one is shown before the last is here. */
  private async learnExtent(): Promise<void> {
    const { frames } = this.player;
    if (frames.length === 0) return;
    const first = await this.store.load(frames[0]).catch(() => null);
    const last = this.store.load(frames[frames.length - 1]).then(() => this.stage.refit(this.store.bounds), () => undefined);
    if (!first || first.pointCount <= LARGE) await last;
  }

  async start(): Promise<void> {
    let timer = 0;
    let asking = false;
    const again = async () => {
      let pause = 1000;
      asking = true;
      try {
        await this.poll();
        if (this.state?.finished) pause = 3000;
        if (this.play.on) pause = this.play.paused ? 250 : 25;
      } catch (error) {
        this.complain(error);
        pause = 5000;
      }
      asking = false;
      if (this.source.live) timer = window.setTimeout(() => void again(), document.hidden ? 5000 : pause);
    };
    this.pollSoon = () => {
      window.clearTimeout(timer);
      if (!asking) void again();
    };
    this.overlay.say("", "Loading", "");
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

  private legendOf(): LegendOf | null {
    const { look } = this;
    return look.color === "body" ? null : { name: look.color, component: look.component, scale: { ...look.scale } };
  }

  private async savePicture(): Promise<void> {
    try {
      const canvas = element("canvas");
      paintPicture(this.stage, this.legendOf(), canvas);
      download(this.fileName("png"), await pngOf(canvas));
    } catch (error) {
      this.complain(error);
    }
  }

  /** Puts one frame after the other onto the stage and hands a picture of each to `use`. */
  private async everyFrame(use: (index: number, canvas: HTMLCanvasElement) => Promise<void>): Promise<void> {
    const { frames } = this.player;
    const canvas = element("canvas");
    const back = this.player.index;
    this.player.play(false);
    this.recording = true;
    try {
      for (let i = 0; i < frames.length; i++) {
        await this.paintFrame(i, canvas);
        await use(i, canvas);
        this.panel.say(`${i + 1} of ${frames.length} pictures`);
      }
    } finally {
      this.recording = false;
      this.seek(back);
      this.invalidate();
    }
  }

  private async paintFrame(index: number, canvas: HTMLCanvasElement): Promise<void> {
    this.seek(index);
    this.display(await this.store.load(this.player.frames[index]));
    paintPicture(this.stage, this.legendOf(), canvas, FILM_PASSES);
  }

  private async saveFilm(): Promise<void> {
    if (!canRecord()) {
      this.panel.say("this browser cannot record; save pictures, or use abut render");
      return;
    }
    const { frames } = this.player;
    if (frames.length === 0) return;
    const seconds = (frames[frames.length - 1].time - frames[0].time) / this.player.speed;
    const rate = Math.min(30, Math.max(2, seconds > 0 ? (frames.length - 1) / seconds : 12));
    const back = this.player.index;
    this.player.play(false);
    this.recording = true;
    try {
      const blob = await recordWebm(frames.length, rate, async (i, canvas) => {
        await this.paintFrame(i, canvas);
        this.panel.say(`recording ${i + 1} of ${frames.length}`);
      });
      if (blob.size < 1000) throw new Error("this browser has recorded nothing; save pictures, or use abut render");
      download(this.fileName("webm"), blob);
      this.panel.say(`${frames.length} pictures, ${shortNumber(blob.size / 1e6)} MB`);
    } catch (error) {
      this.panel.say(error instanceof Error ? error.message : String(error));
    } finally {
      this.recording = false;
      this.seek(back);
      this.invalidate();
    }
  }

  private async savePictures(): Promise<void> {
    const files: { name: string; bytes: Uint8Array }[] = [];
    try {
      await this.everyFrame(async (i, canvas) => {
        const step = String(this.player.frames[i].step).padStart(6, "0");
        files.push({ name: `frame_${step}.png`, bytes: new Uint8Array(await (await pngOf(canvas)).arrayBuffer()) });
      });
      const blob = zip(files);
      download(this.fileName("zip"), blob);
      this.panel.say(`${files.length} pictures, ${shortNumber(blob.size / 1e6)} MB`);
    } catch (error) {
      this.complain(error);
    }
  }

  private currentView(): SavedView {
    const { look, stage } = this;
    return {
      camera: stage.cameraState(),
      orthographic: stage.view.orthographic,
      color: look.color,
      component: look.component,
      scale: { ...look.scale },
      fixed: this.panel.rangeMode === "hand",
      isoLines: look.isoLines,
      mode: look.mode,
      finish: look.finish,
      flags: flagsOf(look),
      clip: look.clip,
      hidden: [...look.hidden],
      step: this.player.entry?.step ?? 0,
      theme: document.documentElement.dataset.theme ?? "light",
    };
  }

  private useView(view: SavedView): void {
    applyView(this.look, view);
    this.panel.rangeMode = view.fixed ? "hand" : "run";
    this.setOrthographic(view.orthographic);
    this.fieldsChanged();
  }

  private async copyLink(): Promise<void> {
    const link = location.href.split("#")[0] + writeLink(this.currentView());
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      this.panel.say("the address is in the clipboard");
    } catch {
      this.panel.say("the address line now restores this view");
    }
  }

  private async savePage(): Promise<void> {
    if (!this.state || this.state.frames.length === 0) return;
    const view = this.currentView();
    const fields = (this.shown?.available ?? []).map((field) => field.name).filter((name) => name !== "body");
    try {
      const made = await exportPage(this.source, this.state, fields, view, (done, all) =>
        this.panel.say(`${done} of ${all} frames`),
      );
      download(this.fileName("html"), made.html);
      const size = shortNumber(made.html.size / 1e6);
      this.panel.say(`${made.frames} of ${this.state.frames.length} frames, ${size} MB`);
    } catch (error) {
      this.complain(error);
    }
  }

  /** For the tests of the page: where a point is on the canvas, 0..1. */
  placeOfPoint(point: number): [number, number] {
    const { x, y } = this.stage.project(this.stage.pointAt(point));
    return [x, y];
  }

  /** For the tests of the page. */
  pointOf(body: number): [number, number] {
    return this.stage.placeOf(body);
  }

  heightOf(body: number): number {
    return this.stage.heightOf(body);
  }

  /** For the tests of the page. */
  numberText(value: number): string {
    return shortNumber(value);
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
      legendNote: this.legend.noteText,
      range: [this.look.scale.low, this.look.scale.high],
      rangeMode: this.panel.rangeMode,
      passes: this.stage.passes,
      play: this.state?.play ?? null,
      pulling: this.play.pulling,
      notice: this.overlay.notice.hidden ? "" : this.overlay.notice.textContent,
      picked: this.picker.state,
      ruler: this.picker.rulerLength,
      arrows: this.stage.contactArrows,
      bad: this.stage.marks.badCount,
      orthographic: this.stage.view.orthographic,
      look: { ...this.look, hidden: this.look.hidden.size },
      loop: this.player.loop,
      follow: this.player.follow,
      triangles: this.stage.triangleCount,
      pointCount: this.shown?.pointCount ?? 0,
      pictures: this.stage.pictures,
      chartRows: this.charts.rows,
      displayTimes: [...this.displayTimes],
      cachedFrames: this.store.count,
      cachedBytes: this.store.usedBytes,
      camera: this.stage.cameraState(),
      moving: this.stage.view.moving,
      points: this.shown ? Array.from(this.shown.points.subarray(0, 30)) : [],
    };
  }
}

function localTheme(): string {
  return recall("theme") ?? (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

async function main(): Promise<void> {
  const embedded = document.getElementById("abut-data")?.textContent;
  const run = embedded ? await unpackRun(embedded) : null;
  const app = new App(run ? new EmbeddedSource(run) : new HttpSource(), (run?.view as SavedView | undefined) ?? null);
  Object.assign(window, { abut: app });
  await app.start();
}

void main();
