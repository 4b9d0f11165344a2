// Keys of the page, for the dialog and for the listener.

export const KEYS: [string, string][] = [
  ["Space", "play and pause"],
  ["Space, →, Backspace", "of a scene that is played: go and pause; one step; back to the start"],
  ["← →", "one frame back or on; with Shift ten"],
  ["Home End", "first and last frame"],
  ["+ −", "speed"],
  ["C", "next colour"],
  ["E", "surface, edges, wireframe"],
  ["F, Shift+F, H", "fit this frame; fit the run; back to the start's direction"],
  ["X Y Z, O", "look along an axis (Shift: from the other side); orthographic"],
  ["K, T", "contact forces; trail of the picked point"],
  ["R, Escape", "ruler; forget what was picked"],
  ["L", "follow a run that goes on"],
  ["B, S, D", "charts; settings; dark or light"],
  ["P", "save a picture"],
  ["?", "this list"],
];

/** True when a key belongs to the control that has the focus. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (target instanceof HTMLInputElement && target.type === "number") return true;
  return target instanceof HTMLSelectElement;
}
