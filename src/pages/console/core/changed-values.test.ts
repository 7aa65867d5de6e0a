import { expect, test } from 'vitest';
import { boundedDetail, changedKeys, changedValue, hiddenChange } from './changed-values.ts';

test('a changed value is a short text that PostgreSQL accepts', () => {
  expect(changedValue('auth.jwt_expiry', undefined, 7200)).toEqual({
    name: 'auth.jwt_expiry',
    from: null,
    to: '7200',
  });
  const { to } = changedValue('a', 'x', `${'x'.repeat(299)}😀${'y'.repeat(1_000_000)}\0`);
  expect(to).toMatch(/^x{299}\ufffd… \(1000302 characters in all\)$/);
  expect(changedValue('a', '\0<b>', ['<b>']).from).toBe('\ufffd<b>');
});

test('the password in a URL is masked', () => {
  expect(changedValue('uri', null, 'https://me:pass@host/x and smtp://u:p@h').to).toBe(
    'https://••••••@host/x and smtp://••••••@h',
  );
});

test('metadata changes contain keys without values', () => {
  expect(
    changedKeys('app_metadata', { plan: 'free', old: 1, same: [1] }, { plan: 'pro', same: [1], new: 2 }),
  ).toEqual([
    { name: 'app_metadata.plan', hidden: 'changed' },
    { name: 'app_metadata.old', hidden: 'removed' },
    { name: 'app_metadata.new', hidden: 'set' },
  ]);
  expect(hiddenChange('password', true, true)).toEqual({ name: 'password', hidden: 'changed' });
});

test('details of any size are limited', () => {
  const deep = { keys: Array.from({ length: 1000 }, (_, id) => ({ id: `${id}`.repeat(5000) })), count: 1000 };
  const detail = boundedDetail(deep) as typeof deep;
  expect(JSON.stringify(detail).length).toBeLessThan(64_000);
  expect(detail.count).toBe(1000);
  expect(detail.keys.at(-1)).toBe('… (1000 in all)');
  expect(boundedDetail({ at: 1, list: ['a'], none: null })).toEqual({ at: 1, list: ['a'], none: null });
});
