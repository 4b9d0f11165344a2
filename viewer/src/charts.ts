// Small line charts over time with one cursor for all of them; clicking or dragging moves the time.
import { type StepTable, differences, rowAt, sumColumns } from "./table";
import { element, shortNumber } from "./ui";

interface Curve {
  label: string;
  color: string;
  values: Float64Array;
}

interface ChartKind {
  title: string;
  unit: string;
  logarithmic?: boolean;
  curves(table: StepTable): Curve[];
}

const COLORS = ["#3b82d6", "#e08b2d", "#35a06a", "#c2477f", "#8a8f98"];

function columns(table: StepTable, names: [string, string][]): Curve[] {
  return names
    .map(([name, label], i) => ({ label, color: COLORS[i % COLORS.length], values: table.columns.get(name) }))
    .filter((curve): curve is Curve => curve.values !== undefined);
}

const KINDS: ChartKind[] = [
  {
    title: "Energies",
    unit: "J",
    curves: (table) => [
      ...columns(table, [["kinetic", "kinetic"], ["elastic", "elastic"], ["gravity", "gravity"], ["contact_energy", "contact"]]),
      { label: "sum", color: COLORS[4], values: sumColumns(table, ["kinetic", "elastic", "gravity", "contact_energy"]) },
    ],
  },
  { title: "Newton iterations", unit: "", curves: (table) => columns(table, [["newton_iterations", "Newton"], ["friction_iterations", "friction"]]) },
  { title: "Contacts", unit: "", curves: (table) => columns(table, [["contact_count", "pairs"]]) },
  { title: "Smallest distance", unit: "m", logarithmic: true, curves: (table) => columns(table, [["min_distance", "distance"]]) },
  {
    title: "Time per step",
    unit: "s",
    curves: (table) => {
      const wall = table.columns.get("wall_seconds");
      return wall ? [{ label: "wall clock", color: COLORS[0], values: differences(wall) }] : [];
    },
  },
];

const LEFT = 54;
const RIGHT = 8;
const TOP = 6;
const BOTTOM = 4;

class Chart {
  readonly root: HTMLElement;
  private readonly canvas = element("canvas", { class: "chart" });
  private readonly legend = element("span", { class: "chart-legend" });
  private readonly caption = element("b");
  private curves: Curve[] = [];
  private times = new Float64Array();

  constructor(
    private readonly kind: ChartKind,
    seek: (time: number) => void,
  ) {
    this.root = element("figure", { class: "chart-box", "data-chart": kind.title }, [
      element("figcaption", {}, [this.caption, this.legend]),
      this.canvas,
    ]);
    this.caption.textContent = kind.title;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${kind.title} over time; click to go there`);
    const move = (event: PointerEvent) => {
      if (event.buttons === 0 || this.times.length === 0) return;
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
      const [first, last] = this.span();
      seek(first + Math.min(1, Math.max(0, share)) * (last - first));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    this.canvas.addEventListener("pointermove", move);
  }

  setTable(table: StepTable): void {
    this.curves = this.kind.curves(table);
    this.times = table.columns.get("time") ?? new Float64Array();
  }

  setCurve(label: string, times: number[], values: number[]): void {
    this.times = Float64Array.from(times);
    this.curves = [{ label, color: COLORS[0], values: Float64Array.from(values) }];
    this.caption.textContent = label;
  }

  private span(): [number, number] {
    return [this.times[0], this.times[this.times.length - 1]];
  }

  private scaled(value: number): number {
    return this.kind.logarithmic ? (value > 0 ? Math.log10(value) : NaN) : value;
  }

  private range(): [number, number] {
    let low = this.kind.logarithmic ? Infinity : 0;
    let high = this.kind.logarithmic ? -Infinity : 0;
    for (const curve of this.curves)
      for (const raw of curve.values) {
        const value = this.scaled(raw);
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    if (!(high > low)) return Number.isFinite(low) ? [low - 0.5, low + 0.5] : [0, 1];
    return [low, high];
  }

  draw(time: number): void {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.canvas);
    const [low, high] = this.range();
    const y = (value: number) => TOP + ((height - TOP - BOTTOM) * (high - value)) / (high - low);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = style.color;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.strokeStyle = style.borderColor;
    pen.lineWidth = 1;
    if (this.times.length === 0) {
      pen.textAlign = "left";
      pen.fillText("no steps yet", 2, height / 2);
      return;
    }
    for (const value of [low, high]) {
      const shown = this.kind.logarithmic ? 10 ** value : value;
      pen.fillText(shortNumber(shown), LEFT - 5, Math.min(height - 7, Math.max(7, y(value))));
      pen.beginPath();
      pen.moveTo(LEFT, y(value));
      pen.lineTo(width - RIGHT, y(value));
      pen.stroke();
    }
    const [first, last] = this.span();
    const x = (t: number) => LEFT + ((width - LEFT - RIGHT) * (t - first)) / Math.max(1e-300, last - first);
    for (const curve of this.curves) this.drawCurve(pen, curve, x, y);
    const at = rowAt(this.times, time);
    pen.strokeStyle = style.color;
    pen.beginPath();
    pen.moveTo(x(this.times[at]), TOP - 4);
    pen.lineTo(x(this.times[at]), height - BOTTOM + 4);
    pen.stroke();
    this.legend.replaceChildren(
      ...this.curves.map((curve) =>
        element("span", {}, [
          element("i", { style: `background:${curve.color}` }),
          `${this.curves.length > 1 ? `${curve.label} ` : ""}${shortNumber(curve.values[at])} ${this.kind.unit}`,
        ]),
      ),
    );
  }

  /** With more rows than pixels each pixel shows the lowest and highest value of its rows. */
  private drawCurve(pen: CanvasRenderingContext2D, curve: Curve, x: (t: number) => number, y: (v: number) => number): void {
    pen.strokeStyle = curve.color;
    pen.lineWidth = 1.4;
    pen.beginPath();
    let down = false;
    let column = -1;
    let lowest = 0;
    let highest = 0;
    for (let i = 0; i < curve.values.length; i++) {
      const value = this.scaled(curve.values[i]);
      if (!Number.isFinite(value)) {
        down = false;
        column = -1;
        continue;
      }
      const px = x(this.times[i]);
      const py = y(value);
      if (Math.round(px) === column) {
        if (py >= lowest && py <= highest) continue;
        lowest = Math.min(lowest, py);
        highest = Math.max(highest, py);
      } else {
        column = Math.round(px);
        lowest = highest = py;
      }
      if (down) pen.lineTo(px, py);
      else pen.moveTo(px, py);
      down = true;
    }
    pen.stroke();
  }
}

export class Charts {
  readonly root = element("section", { class: "charts", "aria-label": "charts" });
  private readonly charts: Chart[];
  private time = 0;
  private stale = true;
  rows = 0;

  constructor(seek: (time: number) => void) {
    this.charts = KINDS.map((kind) => new Chart(kind, seek));
    this.root.append(...this.charts.map((chart) => chart.root));
    new ResizeObserver(() => this.invalidate()).observe(this.root);
  }

  setTable(table: StepTable): void {
    this.rows = table.count;
    for (const chart of this.charts) chart.setTable(table);
    this.invalidate();
  }

  setTime(time: number): void {
    if (time === this.time) return;
    this.time = time;
    this.invalidate();
  }

  invalidate(): void {
    this.stale = true;
  }

  draw(): void {
    if (!this.stale) return;
    this.stale = false;
    for (const chart of this.charts) chart.draw(this.time);
  }
}

/** One curve over time, for the picked point. */
export class Plot {
  readonly root: HTMLElement;
  private readonly chart: Chart;
  private title = "";
  private time = 0;

  constructor(seek: (time: number) => void) {
    this.chart = new Chart({ title: "Over time", unit: "", curves: () => [] }, seek);
    this.root = this.chart.root;
    this.root.classList.add("plot");
  }

  set(title: string, times: number[], values: number[]): void {
    this.title = title;
    this.chart.setCurve(title, times, values);
    this.setTime(this.time);
  }

  setTime(time: number): void {
    this.time = time;
    if (this.title !== "") this.chart.draw(time);
  }
}
