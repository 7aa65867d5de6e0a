import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move } from './movement.ts';

const bounds = { rows: 100, columns: 5, firstColumn: 0, pageRows: 20 } as const;

test.each([
  ['ArrowUp', false, { row: -1, column: 2 }],
  ['ArrowDown', false, { row: 1, column: 2 }],
  ['ArrowLeft', false, { row: 0, column: 1 }],
  ['ArrowRight', true, { row: 0, column: 4 }],
  ['Home', false, { row: 0, column: 0 }],
  ['End', false, { row: 0, column: 4 }],
  ['Home', true, { row: 0, column: 0 }],
  ['End', true, { row: 99, column: 4 }],
  ['PageDown', false, { row: 20, column: 2 }],
  ['PageUp', false, { row: 0, column: 2 }],
  ['a', false, undefined],
])('%s (command: %s) from the first row', (key, command, to) => {
  expect(move({ row: 0, column: 2 }, { key, command }, bounds)).toEqual(to);
});

test.each([
  ['Home', false],
  ['Home', true],
  ['ArrowLeft', false],
  ['ArrowLeft', true],
])('%s (command: %s) stays in the first column without checkboxes', (key, command) => {
  expect(move({ row: 0, column: 1 }, { key, command }, { ...bounds, firstColumn: 1 })).toEqual({
    row: 0,
    column: 1,
  });
});

test('no key moves the focus out of the grid', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'),
      fc.boolean(),
      fc.nat(200),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(),
      fc.nat(),
      (key, command, rows, columns, row, column) => {
        const from = { row: Math.min(row, rows - 1), column: column % columns };
        const to = move(from, { key, command }, { rows, columns, firstColumn: 0, pageRows: 10 });
        expect(to?.row).toBeGreaterThanOrEqual(-1);
        expect(to?.row).toBeLessThan(Math.max(rows, 1));
        expect(to?.column).toBeGreaterThanOrEqual(0);
        expect(to?.column).toBeLessThan(columns);
      },
    ),
  );
});
