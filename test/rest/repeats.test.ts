/** Tests that a repeated read uses the cached plan and never returns another user's response. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

const alice = '00000000-0000-4000-8000-00000000000a';
const bob = '00000000-0000-4000-8000-00000000000b';

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest({
    sql: `
      create table public.notes_again (id int primary key, owner uuid not null, body text);
      alter table public.notes_again enable row level security;
      grant select on public.notes_again to anon, authenticated;
      create policy own on public.notes_again for select using (owner = (select auth.uid()));
      insert into public.notes_again values (1, '${alice}', 'of alice'), (2, '${bob}', 'of bob'), (3, '${bob}', 'more');`,
  });
});
afterAll(() => rest?.stop());

const path = '/notes_again?select=id&order=id';

async function ask(init: RequestInit & { as?: string } = {}) {
  const { as, headers, ...rest_ } = init;
  const token = as === undefined ? rest.anonKey : rest.userToken(as);
  const response = await rest.fetch(path, {
    ...rest_,
    headers: { authorization: `Bearer ${token}`, ...(headers as Record<string, string>) },
  });
  return { response, status: response.status, text: await response.text() };
}

test('each user sees only their own rows, however often the request was sent before', async () => {
  for (let round = 0; round < 4; round++) {
    expect(JSON.parse((await ask({ as: alice })).text)).toEqual([{ id: 1 }]);
    expect(JSON.parse((await ask({ as: bob })).text)).toEqual([{ id: 2 }, { id: 3 }]);
    expect(JSON.parse((await ask()).text)).toEqual([]);
  }
});

test('headers that request something else are respected, even for repeated requests', async () => {
  for (let round = 0; round < 4; round++) {
    const csv = await ask({ as: bob, headers: { accept: 'text/csv' } });
    expect(csv.text).toBe('id\n2\n3');
    const one = await ask({ as: bob, headers: { range: '1-1' } });
    expect(JSON.parse(one.text)).toEqual([{ id: 3 }]);
    const counted = await ask({ as: bob, headers: { prefer: 'count=exact' } });
    expect(counted.response.headers.get('content-range')).toBe('0-1/2');
    const head = await ask({ as: bob, method: 'HEAD' });
    expect(head.text).toBe('');
    const single = await ask({ as: bob, headers: { accept: 'application/vnd.pgrst.object+json' } });
    expect(single.status).toBe(406);
    expect(JSON.parse((await ask({ as: bob })).text)).toHaveLength(2);
  }
});

test('a change to the schema is detected', async () => {
  for (let round = 0; round < 3; round++) await ask({ as: alice });
  await rest.run('alter table public.notes_again rename column id to number');
  await expect
    .poll(async () => (await ask({ as: alice })).text)
    .toContain('column notes_again.id does not exist');
});
