// Small helpers for the page's elements and numbers.

type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  children: Child[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Three or four digits, as people write them. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-2) return value.toExponential(2).replace("e+", "e").replace("-", "−");
  const text = String(size >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

/** Triangles and bars in a box of 16 by 16; letters for them are missing in many fonts. */
const ICONS: Record<string, string> = {
  play: "M4 2l10 6-10 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  back: "M12 2v12L4 8z",
  forward: "M4 2v12l8-6z",
  reset: "M8 2a6 6 0 1 1-5.700 4.100l1.500.5A4.400 4.400 0 1 0 8 3.600V6L3.500 2.800 8 0z",
  first: "M2 2h2v12H2zM14 2v12L5 8z",
  last: "M12 2h2v12h-2zM2 2v12l9-6z",
  charts: "M1 14h14v1H1zM2 12l4-5 3 3 5-7-1-1-4 5.500-3-3-5 6z",
  panel: "M1 2h14v12H1zM2.500 3.500v9h6v-9z",
  theme: "M8 1a7 7 0 1 0 0 14zM8 2.500a5.500 5.500 0 0 1 0 11z",
  help: "M6 5.500a2 2 0 1 1 2.800 1.800c-.9.400-1.300.800-1.300 2.200h1.200c0-.8.200-1 .8-1.300A3.200 3.200 0 1 0 4.800 5.500zM7.300 11h1.500v1.600H7.300z",
};

export function setIcon(target: HTMLElement, name: string): void {
  if (target.dataset.icon === name) return;
  target.dataset.icon = name;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  target.replaceChildren(svg);
}

export function iconButton(icon: string, title: string, action: () => void, id: string): HTMLButtonElement {
  const made = button("", title, action, id);
  made.classList.add("icon");
  setIcon(made, icon);
  return made;
}

export function button(label: string, title: string, action: () => void, id?: string): HTMLButtonElement {
  const made = element("button", { type: "button", title, "aria-label": title, ...(id ? { id } : {}) }, [label]);
  made.addEventListener("click", () => {
    action();
    made.blur(); // so that the space bar goes on to play and pause
  });
  return made;
}

export function checkbox(label: string, id: string, initial: boolean, change: (value: boolean) => void): HTMLLabelElement {
  const input = element("input", { type: "checkbox", id });
  input.checked = initial;
  input.addEventListener("change", () => {
    change(input.checked);
    input.blur();
  });
  return element("label", { class: "check" }, [input, label]);
}

export function select(
  label: string,
  id: string,
  options: [string, string][],
  initial: string,
  change: (value: string) => void,
): HTMLLabelElement {
  const list = element("select", { id });
  setOptions(list, options, initial);
  list.addEventListener("change", () => {
    change(list.value);
    list.blur();
  });
  return element("label", { class: "choice" }, [label, list]);
}

export function setOptions(list: HTMLSelectElement, options: [string, string][], value: string): void {
  const same =
    list.options.length === options.length && options.every(([key], i) => list.options[i].value === key);
  if (!same) list.replaceChildren(...options.map(([key, text]) => element("option", { value: key }, [text])));
  list.value = value;
}

/** Offers bytes to the user as a file. */
export function download(name: string, blob: Blob): void {
  const link = element("a", { download: name, href: URL.createObjectURL(blob) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Settings that outlive the page; pages opened from a file may have no storage. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`abut-${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`abut-${key}`, value);
  } catch {
    // then it holds for this page only
  }
}
