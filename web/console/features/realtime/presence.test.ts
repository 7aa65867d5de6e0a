import { expect, test } from 'vitest';
import { withFrame } from './presence.ts';

const entry = (...refs: string[]) => ({ metas: refs.map((phx_ref) => ({ phx_ref })) });

test('diffs change the state, and an update consists of a leave and a join', () => {
  const first = withFrame({}, 'presence_state', { ada: entry('1'), bob: entry('2', '3') });
  expect(Object.keys(first)).toEqual(['ada', 'bob']);
  const second = withFrame(first, 'presence_diff', {
    joins: { ada: entry('4'), eve: entry('5') },
    leaves: { ada: entry('1'), bob: entry('2') },
  });
  expect(second).toEqual({ ada: [{ phx_ref: '4' }], bob: [{ phx_ref: '3' }], eve: [{ phx_ref: '5' }] });
  expect(withFrame(second, 'presence_diff', { leaves: { bob: entry('3') } })).not.toHaveProperty('bob');
  expect(withFrame(second, 'broadcast', {})).toBe(second);
});
