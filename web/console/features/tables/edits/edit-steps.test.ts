import { expect, test } from 'vitest';
import { keyText } from '../cells.ts';
import { byRow, type CellEdit, caughtUp, stepBack } from './edit-steps.ts';

const key = (ctid: string) => ({ ctid, xmin: '7' });
const edit = (more: Partial<CellEdit>): CellEdit => ({
  key: key('(0,1)'),
  column: 'name',
  index: 0,
  change: { value: 'c' },
  seen: 'a',
  since: 0,
  ...more,
});
const save = (from: string, to: string, before: string, after: string) =>
  new Map([[keyText(key(from)), { key: key(to), before: { name: before }, row: { name: after, n: '1' } }]]);

test('an edit that waited for another edit of the same cell doesn’t conflict with it', () => {
  const after = [save('(0,1)', '(0,2)', 'a', 'b'), save('(0,2)', '(0,3)', 'b', 'b2')];
  expect(caughtUp(edit({}), after)).toMatchObject({ key: key('(0,3)'), seen: 'b2' });
  expect(caughtUp(edit({ column: 'n', seen: '1' }), after)).toMatchObject({ key: key('(0,3)'), seen: '1' });
  expect(caughtUp(edit({ key: key('(0,9)') }), after)).toMatchObject({ key: key('(0,9)'), seen: 'a' });
  // An edit that started after both saves isn't updated, because the edit's key already refers to a current row.
  expect(caughtUp(edit({ since: 2 }), after)).toMatchObject({ key: key('(0,1)'), seen: 'a' });
  expect(caughtUp(edit({}), after)).not.toHaveProperty('since');
});

test('a change that another operator made before the save is still a conflict', () => {
  expect(caughtUp(edit({ seen: 'old' }), [save('(0,1)', '(0,2)', 'theirs', 'b')]).seen).toBe('old');
});

test('an undo refers to the current row and expects the saved value', () => {
  const back = stepBack([edit({ change: { value: 'b' } })], save('(0,1)', '(0,2)', 'a', 'b'));
  expect(back).toEqual([{ key: key('(0,2)'), column: 'name', index: 0, change: { value: 'a' }, seen: 'b' }]);
});

test('the cells of a row are grouped, even if different objects identify it', () => {
  const rows = byRow([edit({}), edit({ key: { xmin: '7', ctid: '(0,1)' }, column: 'n', seen: undefined })]);
  expect(rows).toHaveLength(1);
  expect([...(rows[0]?.changes.keys() ?? [])]).toEqual(['name', 'n']);
  expect([...(rows[0]?.seen ?? [])]).toEqual([['name', 'a']]);
});
