/**
 * Tests `plinth functions serve` with different secrets, without token checks, with a different import map and with a
 * debugger. After the command has ended, all of these changes are undone.
 */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

let world: FunctionsWorld;
beforeAll(async () => {
  world = await functionsWorld({
    files: {
      'supabase/functions/.env': 'WORD=usual\n',
      'elsewhere/other.env': 'WORD=other\nSUPABASE_URL=http://evil.test\n',
      'elsewhere/map.json': `{ "imports": { "word": "../supabase/functions/_shared/b.ts" } }`,
      'supabase/functions/_shared/a.ts': `export const word = 'a';`,
      'supabase/functions/_shared/b.ts': `export const word = 'b';`,
      secret: `Deno.serve(() => new Response(Deno.env.get('WORD') + ' ' + Deno.env.get('SUPABASE_URL')));`,
      mapped: `import { word } from 'word'; Deno.serve(() => new Response(word));`,
      'supabase/functions/mapped/deno.json': `{ "imports": { "word": "../_shared/a.ts" } }`,
      stopped: `Deno.serve(() => new Response('ran'));`,
    },
  });
});
afterAll(() => world?.stop());

const textOf = async (slug: string) => (await world.call(slug)).text();
const open = (slug: string) => fetch(`${world.url}/functions/v1/${slug}`);

it('other secrets and another import map apply, and no token is required', async () => {
  expect([await textOf('secret'), await textOf('mapped'), (await open('secret')).status]).toEqual([
    `usual ${world.url}`,
    'a',
    401,
  ]);
  const end = world.functions.serve({
    envFile: join(world.root, 'elsewhere/other.env'),
    importMap: join(world.root, 'elsewhere/map.json'),
    noVerifyJwt: true,
  });
  expect([await (await open('secret')).text(), await textOf('mapped')]).toEqual([`other ${world.url}`, 'b']);
  end();
  expect([await textOf('secret'), await textOf('mapped'), (await open('secret')).status]).toEqual([
    `usual ${world.url}`,
    'a',
    401,
  ]);
});

it('a function that waits for the debugger continues on command', async () => {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
  const end = world.functions.serve({ inspect: { mode: 'wait', port } });
  const pending = textOf('stopped');
  const targets = async () =>
    (
      await fetch(`http://127.0.0.1:${port}/json/list`).then(
        (response) => response.json(),
        () => [],
      )
    )[0];
  await expect.poll(targets).toMatchObject({ type: 'node' });
  const socket = new WebSocket((await targets()).webSocketDebuggerUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  for (const [id, method] of ['Runtime.enable', 'Runtime.runIfWaitingForDebugger'].entries())
    socket.send(JSON.stringify({ id, method }));
  expect(await pending).toBe('ran');
  socket.close();
  end();
  expect(await textOf('stopped')).toBe('ran');
});
