/** Tests which schemas are exposed by the REST service. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest({ settings: { api: { schemas: [], extra_search_path: ['extensions'] } } });
});
afterAll(() => rest?.stop());

test('an empty list means public, as in CLI templates before 2023', async () => {
  const read = await rest.fetch('/teams?select=id&limit=0', { headers: { apikey: rest.serviceKey } });
  expect([read.status, await read.json()]).toEqual([200, []]);

  const other = await rest.fetch('/users', {
    headers: { apikey: rest.serviceKey, 'accept-profile': 'auth' },
  });
  expect(await other.json()).toMatchObject({
    code: 'PGRST106',
    hint: 'Only the following schemas are exposed: public',
  });
});
