/** Prints results to stdout and progress to stderr. */

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Returns a function that prints each step only once, even if several modules report the same step. */
export function progressPrinter(tell: (text: string) => void): (text: string) => void {
  let last: string | undefined;
  return (text) => {
    if (text !== last) tell(text);
    last = text;
  };
}

/** Pads the cells of each column to the width of the column's widest cell. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
