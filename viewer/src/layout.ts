// The parts of the page: they fold, change their size, and stay as they were left. On a phone one panel is open at a time.
import { SECTIONS } from "./panel";
import { button, element, iconButton, recall, remember } from "./ui";

const PHONE = "(max-width: 640px)";
const NARROW = "(max-width: 1000px)";

/** Drags an edge of a part; the size is a CSS variable of the page. */
function handle(name: string, label: string, variable: string, read: (event: PointerEvent) => number, limits: [number, number], changed: () => void): HTMLElement {
  const bar = element("div", { class: `handle handle-${name}`, role: "separator", tabindex: "0", "aria-label": label, "aria-orientation": name === "panel" ? "vertical" : "horizontal" });
  const set = (size: number) => {
    const kept = Math.min(limits[1], Math.max(limits[0], size));
    document.documentElement.style.setProperty(variable, `${kept}px`);
    bar.setAttribute("aria-valuenow", String(Math.round(kept)));
    remember(`size-${name}`, String(kept));
    changed();
  };
  const kept = Number(recall(`size-${name}`));
  if (kept > 0) document.documentElement.style.setProperty(variable, `${Math.min(limits[1], Math.max(limits[0], kept))}px`);
  bar.addEventListener("pointerdown", (event) => bar.setPointerCapture(event.pointerId));
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) set(read(event));
  });
  bar.addEventListener("keydown", (event) => {
    const by = ({ ArrowLeft: 16, ArrowUp: 16, ArrowRight: -16, ArrowDown: -16 } as Record<string, number>)[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const now = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(variable));
    set(now + by);
  });
  return bar;
}

export class Layout {
  readonly top: HTMLElement;
  readonly tabs: HTMLElement;

  constructor(
    app: HTMLElement,
    parts: { title: HTMLElement; status: HTMLElement; view: HTMLElement; panel: HTMLElement; charts: HTMLElement; bar: HTMLElement },
    actions: { theme(): void; help(): void; changed(): void },
  ) {
    this.top = element("header", { class: "top" }, [
      parts.title,
      parts.status,
      element("span", { class: "grow" }),
      iconButton("charts", "Charts (B)", () => this.toggle("charts"), "toggle-charts"),
      iconButton("panel", "Settings (S)", () => this.toggle("panel"), "toggle-panel"),
      iconButton("theme", "Dark or light (D)", actions.theme, "theme"),
      iconButton("help", "Keys (?)", actions.help, "keys"),
    ]);
    this.tabs = element("nav", { class: "tabs", "aria-label": "panels" }, [
      ...[...SECTIONS.slice(0, 6), ["charts", "Charts"]].map(([id, title]) => button(title, `Show ${title.toLowerCase()}`, () => this.openTab(id), `tab-${id}`)),
    ]);
    const panelSize = handle("panel", "width of the settings", "--panel", (event) => window.innerWidth - event.clientX, [180, 520], actions.changed);
    const chartSize = handle("charts", "height of the charts", "--charts", (event) => parts.bar.getBoundingClientRect().top - event.clientY, [80, 420], actions.changed);
    app.append(this.top, parts.view, parts.panel, parts.charts, this.tabs, parts.bar, panelSize, chartSize);
    const narrow = window.matchMedia(NARROW);
    for (const [name, open] of [["panel", !narrow.matches], ["charts", !narrow.matches]] as const) {
      const kept = recall(`fold-${name}`);
      this.set(name, kept === null ? open : kept === "open");
    }
    const phone = window.matchMedia(PHONE);
    phone.addEventListener("change", () => this.phoneChanged(phone.matches));
    this.changed = actions.changed;
    this.phoneChanged(phone.matches);
  }

  private readonly changed: () => void;

  private phoneChanged(phone: boolean): void {
    document.body.classList.toggle("phone", phone);
    this.openTab("");
  }

  private set(name: "panel" | "charts", open: boolean): void {
    document.body.classList.toggle(`no-${name}`, !open);
    document.getElementById(`toggle-${name}`)?.setAttribute("aria-pressed", String(open));
  }

  toggle(name: "panel" | "charts"): void {
    if (document.body.classList.contains("phone")) {
      this.openTab(document.body.dataset.tab ? "" : name === "charts" ? "charts" : "colour");
      return;
    }
    const open = document.body.classList.contains(`no-${name}`);
    this.set(name, open);
    remember(`fold-${name}`, open ? "open" : "folded");
    this.changed();
  }

  /** On a phone: one panel, or none when the open one is chosen again. */
  openTab(id: string): void {
    const next = document.body.dataset.tab === id ? "" : id;
    document.body.dataset.tab = next;
    for (const item of document.querySelectorAll<HTMLDetailsElement>("[data-section]")) {
      const chosen = item.dataset.section === next;
      item.classList.toggle("chosen", chosen);
      if (chosen && document.body.classList.contains("phone")) item.open = true;
    }
    for (const tab of this.tabs.children) tab.setAttribute("aria-pressed", String(tab.id === `tab-${next}`));
    this.changed?.();
  }
}
