/**
 * Tests that the pattern of one client's subscription can't delay or prevent the delivery of changes to other clients.
 * Anyone with the publishable key can choose a pattern.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startRealtime, subscribed } from '../realtime/harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await startRealtime();
  await h.sql(`
    create table public.open (id int primary key, label text);
    grant all on public.open to anon, authenticated, service_role;
    alter publication supabase_realtime add table public.open;
  `);
});
afterAll(() => h.stop());

let channels = 0;

async function listen(filter?: string) {
  const seen: number[] = [];
  const channel = h.client().channel(`patterns-${channels++}`);
  channel.on(
    'postgres_changes',
    { event: 'INSERT', schema: 'public', table: 'open', ...(filter === undefined ? {} : { filter }) },
    ({ new: row }) => seen.push((row as { id: number }).id),
  );
  await subscribed(channel);
  return seen;
}

test('a slow pattern only affects its own subscription', async () => {
  const slow = '((?!((?!a*d|((?!a*d)a)*)a)*d)a)*b';
  const [all, fast, own] = [
    await listen(),
    await listen('label=match.^a'),
    await listen(`label=match.${slow}`),
  ];
  await h.sql(`insert into public.open values (1, repeat('a', 40000) || 'c')`);
  await expect.poll(() => [all, fast], { timeout: 8000 }).toEqual([[1], [1]]);
  // The pattern isn't evaluated again, so the next change arrives without delay.
  await h.sql(`insert into public.open values (2, repeat('a', 40000) || 'c'), (3, 'b')`);
  await expect
    .poll(() => [all, fast], { timeout: 2000 })
    .toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
  expect(own).toEqual([]);
});

test.each(['match', 'imatch'])('back references in %s filters are rejected', async (operator) => {
  for (const pattern of ['^((a+)+)+\\1$', '(?b)\\(a\\)\\1', '\\\\\\1'])
    await expect(listen(`label=${operator}.${pattern}`)).rejects.toThrow(
      `${operator} filter must not contain back references`,
    );
  await listen(`label=${operator}.\\d\\\\1(a|b)`);
});
