import { expect, test } from 'vitest';
import { commandOf, type KeyPress, type KeyState } from './keys.ts';

const plain: KeyPress = { key: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const state: KeyState = {
  at: { row: 2, column: 1 },
  bounds: { rows: 10, columns: 4, firstColumn: 0, pageRows: 5 },
  hasKey: true,
  isRangeExtended: false,
  hasSelection: false,
  isBoolean: false,
  canWrite: true,
};
const box = { at: { row: 2, column: 0 } };
const header = { at: { row: -1, column: 1 } };
const headerBox = { at: { row: -1, column: 0 } };

test.each<[string, Partial<KeyPress>, Partial<KeyState>, unknown]>([
  [
    'an arrow key moves',
    { key: 'ArrowDown' },
    {},
    { kind: 'move', to: { row: 3, column: 1 }, extend: false },
  ],
  [
    'Shift extends the range',
    { key: 'ArrowRight', shiftKey: true },
    {},
    { kind: 'move', to: { row: 2, column: 2 }, extend: true },
  ],
  ['Alt+Enter follows a foreign key', { key: 'Enter', altKey: true }, {}, { kind: 'peek' }],
  ['Shift+F10 opens the menu', { key: 'F10', shiftKey: true }, {}, { kind: 'menu' }],
  ['the menu key opens the menu of a header', { key: 'ContextMenu' }, header, { kind: 'menu' }],
  ['other keys with Alt are left to the browser', { key: 'ArrowLeft', altKey: true }, {}, undefined],
  ['Ctrl+Z undoes', { key: 'z', ctrlKey: true }, {}, { kind: 'undo' }],
  ['Ctrl+Shift+Z is the browser’s', { key: 'Z', ctrlKey: true, shiftKey: true }, {}, undefined],
  ['Ctrl+C is the browser’s', { key: 'c', ctrlKey: true }, {}, undefined],
  ['Enter in the header sorts', { key: 'Enter' }, header, { kind: 'sort' }],
  ['Space on the header’s checkbox selects all rows', { key: ' ' }, headerBox, { kind: 'toggle-all' }],
  [
    'Shift and an arrow key resize the column of the header',
    { key: 'ArrowLeft', shiftKey: true },
    header,
    { kind: 'resize', by: -16 },
  ],
  [
    'Ctrl, Shift and an arrow key move the column of the header',
    { key: 'ArrowRight', shiftKey: true, ctrlKey: true },
    header,
    { kind: 'reorder', by: 1 },
  ],
  ['letters in the header do nothing', { key: 'a' }, header, undefined],
  ['Shift+Enter opens the row', { key: 'Enter', shiftKey: true }, {}, { kind: 'open' }],
  ['a row without a key can’t be opened', { key: 'Enter', shiftKey: true }, { hasKey: false }, undefined],
  ['Space on a checkbox selects the row', { key: ' ' }, box, { kind: 'toggle', extend: false }],
  [
    'Shift+Space on a checkbox selects the rows in between',
    { key: ' ', shiftKey: true },
    box,
    { kind: 'toggle', extend: true },
  ],
  [
    'Shift+Space on a cell selects the row',
    { key: ' ', shiftKey: true },
    {},
    { kind: 'toggle', extend: false },
  ],
  ['Space on a cell does nothing', { key: ' ' }, {}, undefined],
  ['Space on a boolean changes it', { key: ' ' }, { isBoolean: true }, { kind: 'toggle-value' }],
  ['Space doesn’t change a read-only boolean', { key: ' ' }, { isBoolean: true, canWrite: false }, undefined],
  ['Delete needs a selection', { key: 'Delete' }, {}, undefined],
  ['Delete deletes the selection', { key: 'Delete' }, { hasSelection: true }, { kind: 'delete' }],
  [
    'Escape first clears the range',
    { key: 'Escape' },
    { isRangeExtended: true, hasSelection: true },
    { kind: 'clear-range' },
  ],
  [
    'Escape then clears the selection',
    { key: 'Escape' },
    { hasSelection: true },
    { kind: 'clear-selection' },
  ],
  ['Escape otherwise leaves the grid', { key: 'Escape' }, {}, { kind: 'leave' }],
  ['F2 edits', { key: 'F2' }, {}, { kind: 'edit' }],
  ['Enter on a checkbox selects the row', { key: 'Enter' }, box, { kind: 'toggle', extend: false }],
  ['a letter starts an edit', { key: 'x' }, {}, { kind: 'edit', typed: 'x' }],
  ['a letter does nothing in a read-only table', { key: 'x' }, { canWrite: false }, undefined],
])('%s', (_name, press, change, command) => {
  expect(commandOf({ ...plain, ...press }, { ...state, ...change })).toEqual(command);
});
