// The range of a field over the whole run. The server looks at the frames a few at a time, and is asked until it is done.
import type { Component } from "./frames";
import type { FieldRange, RunSource } from "./source";

export class Ranges {
  private readonly known = new Map<string, FieldRange>();
  private busy = "";

  constructor(
    private readonly source: RunSource,
    private readonly changed: () => void,
  ) {}

  private key(field: string, component: Component): string {
    return `${field} ${component}`;
  }

  /** What is known now; asks for more when `frames` are not all covered. */
  get(field: string, component: Component, frames: number): FieldRange | undefined {
    const key = this.key(field, component);
    const range = this.known.get(key);
    if (this.busy !== key && (!range || range.done < frames)) void this.ask(field, component, key);
    return range;
  }

  private async ask(field: string, component: Component, key: string): Promise<void> {
    this.busy = key;
    let before = -1;
    try {
      while (this.busy === key) {
        const range = await this.source.range(field, component);
        this.known.set(key, range);
        this.changed();
        if (range.done >= range.frames || range.done === before) break;
        before = range.done;
      }
    } catch {
      await new Promise((done) => setTimeout(done, 2000)); // the page says elsewhere that the server is gone
    }
    if (this.busy === key) this.busy = "";
  }
}
