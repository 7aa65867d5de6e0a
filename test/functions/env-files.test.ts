/** Tests how functions receive the variables in `functions/.env` and `functions/SLUG/.env`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

const reading = `Deno.serve((request) => Response.json(Deno.env.get(new URL(request.url).searchParams.get('name')) ?? null));`;

let world: FunctionsWorld;
beforeAll(async () => {
  world = await functionsWorld({
    isDevelopment: true,
    files: {
      reader: reading,
      other: reading,
      'supabase/functions/.env': [
        '# Comment',
        'TOKEN=ab#cd-with-hash',
        'COMMENTED=value # comment',
        'HOST=api.example',
        'URL="https://$HOST/v1"',
        "LITERAL='$HOST'",
        'QUOTED="say \\"hi\\""',
        'export EXPORTED=yes',
        'COLON: yaml',
        'KEY="-----BEGIN KEY-----\nabc\n-----END KEY-----"',
      ].join('\n'),
      'supabase/functions/reader/.env': 'OWN=a#b\n',
    },
  });
});
afterAll(() => world?.stop());

const read = async (name: string, slug = 'reader') =>
  (await world.call(`${slug}?name=${name}`)).json() as Promise<unknown>;

it.each([
  ['TOKEN', 'ab#cd-with-hash'],
  ['COMMENTED', 'value'],
  ['URL', 'https://api.example/v1'],
  ['LITERAL', '$HOST'],
  ['QUOTED', 'say "hi"'],
  ['EXPORTED', 'yes'],
  ['COLON', 'yaml'],
  ['KEY', '-----BEGIN KEY-----\nabc\n-----END KEY-----'],
  ['OWN', 'a#b'],
])('the files have the same syntax as supabase/.env: %s', async (name, value) => {
  expect(await read(name)).toBe(value);
});

it('a file with an invalid line prevents the functions that use it from starting', async () => {
  world.write('supabase/functions/reader/.env', 'OWN=1\nnot an assignment\n');
  const message = "supabase/functions/reader/.env:2: this line doesn't have the form NAME=value";
  await expect.poll(async () => (await world.call('reader?name=OWN')).status, { timeout: 10_000 }).toBe(503);
  expect(await read('OWN')).toMatchObject({ code: 'BOOT_ERROR', details: expect.stringContaining(message) });
  expect(world.lines('reader').join('\n')).toContain(message);
  expect(world.functions.describe('reader')?.secretNames).toContain('TOKEN');
  expect(await read('TOKEN', 'other')).toBe('ab#cd-with-hash');
  world.write('supabase/functions/reader/.env', 'OWN=2\n');
  await expect.poll(() => read('OWN'), { timeout: 10_000 }).toBe('2');
});
