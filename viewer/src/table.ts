// steps.csv: one row of numbers per step.

export interface StepTable {
  count: number;
  columns: Map<string, Float64Array>;
}

export function parseTable(text: string): StepTable {
  const lines = text.split("\n").filter((line) => line !== "");
  const names = lines.length > 0 ? lines[0].split(",") : [];
  const count = Math.max(0, lines.length - 1);
  const data = names.map(() => new Float64Array(count).fill(NaN));
  for (let row = 0; row < count; row++) {
    const cells = lines[row + 1].split(",");
    for (let k = 0; k < names.length && k < cells.length; k++)
      data[k][row] = cells[k] === "inf" ? Infinity : cells[k] === "-inf" ? -Infinity : Number.parseFloat(cells[k]);
  }
  return { count, columns: new Map(names.map((name, k) => [name, data[k]])) };
}

/** Sum of columns that exist, row by row. */
export function sumColumns(table: StepTable, names: string[]): Float64Array {
  const out = new Float64Array(table.count);
  for (const name of names) {
    const column = table.columns.get(name);
    if (column) for (let i = 0; i < table.count; i++) out[i] += column[i];
  }
  return out;
}

/** Differences from row to row, 0 in the first. */
export function differences(values: Float64Array): Float64Array {
  return values.map((value, i) => (i > 0 ? Math.max(0, value - values[i - 1]) : 0));
}

/** Row with the last time at or before this one. */
export function rowAt(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time + 1e-12) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
