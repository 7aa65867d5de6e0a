/** Compares two texts line by line. The result includes two unchanged lines before and after each change. */

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

const around = 2;

/** The maximum number of pairs of lines that are compared. */
const maxPairs = 8_000_000;

/**
 * Compares the texts using their longest common subsequence of lines, which is fast enough for files of some thousand
 * lines. If a file has very many lines, the result contains all lines of both texts.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const left = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const right = after === '' ? [] : after.replace(/\n$/, '').split('\n');
  if (left.length * right.length > maxPairs)
    return [
      ...left.map((text) => ({ kind: 'removed' as const, text })),
      ...right.map((text) => ({ kind: 'added' as const, text })),
    ];
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const line = lengths[row];
      if (line === undefined) continue;
      line[column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push({ kind: 'same', text: left[row] ?? '' });
      row++;
      column++;
    } else if (row < left.length && (column === right.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: left[row++] ?? '' });
    } else lines.push({ kind: 'added', text: right[column++] ?? '' });
  }
  return cut(lines);
}

function cut(lines: readonly DiffLine[]): DiffLine[] {
  const near = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== 'same'),
  );
  return lines.flatMap((line, index) => {
    if (near[index]) return [line];
    return near[index - 1] ? [{ kind: 'gap' as const, text: '' }] : [];
  });
}
