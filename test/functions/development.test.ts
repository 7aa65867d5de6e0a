/**
 * Tests functions in development. Saving a file takes effect immediately, errors contain a location, and other
 * functions aren't affected.
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

const withPid = (text: string) => `Deno.serve(() => new Response(${text} + ' ' + Deno.pid));`;
const user = `import { word } from '../_shared/word.ts';\n${withPid('word')}`;

const soon = { interval: 10 };

let world: FunctionsWorld;
beforeAll(async () => {
  world = await functionsWorld({
    isDevelopment: true,
    files: {
      'supabase/functions/_shared/word.ts': `export const word = 'old';`,
      'supabase/functions/_shared/unused.ts': `export {};`,
      'packages/far/mod.ts': `export const far = 'old';`,
      'elsewhere/index.ts': withPid(`'old'`),
      first: user,
      second: user,
      other: withPid(`'other'`),
      far: `import { far } from '../../../packages/far/mod.ts';\n${withPid('far')}`,
      configured: `import { word } from 'word';\n${withPid('word')}`,
      'supabase/functions/configured/deno.json': `{ "imports": { "word": "../_shared/word.ts" } }`,
      secret: withPid(`Deno.env.get('WORD')`),
      throws: `function deep(): never {\n  throw new Error('on purpose', { cause: new TypeError('the root') });\n}\nDeno.serve(() => deep());`,
      handled: `Deno.serve({ onError: (error) => new Response('handled ' + (error as Error).message, { status: 503 }) }, () => { throw new Error('mine'); });`,
      syntax: `const fine = 1;\nDeno.serve(() => { const = 2; });`,
      early: `const settings: { url?: string } = {};\nnew URL(settings.url!);\nDeno.serve(() => new Response());`,
      typed: `Deno.serve(() => new Response('runs'));`,
    },
  });
});
afterAll(() => world?.stop());

const read = async (slug: string) => {
  const [word = '', pid = ''] = (await (await world.call(slug)).text()).split(' ');
  return { word, pid };
};

describe('saving a file', () => {
  it('restarts only the functions that use the module', async () => {
    const before = { first: await read('first'), second: await read('second'), other: await read('other') };
    expect(before.first.word).toBe('old');
    world.write('supabase/functions/_shared/word.ts', `export const word = 'new';`);
    for (const slug of ['first', 'second'])
      await expect.poll(async () => (await read(slug)).word, soon).toBe('new');
    expect(await read('other')).toEqual(before.other);
    const after = await read('first');
    world.write('second', withPid(`'own'`));
    await expect.poll(async () => (await read('second')).word, soon).toBe('own');
    world.write('supabase/functions/_shared/unused.ts', 'export const still = 1;');
    world.write('never-called', withPid('1'));
    await read('never-called');
    expect(await read('first')).toEqual(after);
  });

  it('applies to packages elsewhere in the repository, import maps, symbolic links and secrets', async () => {
    expect((await read('far')).word).toBe('old');
    world.write('packages/far/mod.ts', `export const far = 'new';`);
    await expect.poll(async () => (await read('far')).word, soon).toBe('new');

    await read('configured');
    world.write('supabase/functions/configured/other.ts', `export const word = 'other';`);
    world.write('supabase/functions/configured/deno.json', `{ "imports": { "word": "./other.ts" } }`);
    await expect.poll(async () => (await read('configured')).word, soon).toBe('other');

    symlinkSync(join(world.root, 'elsewhere'), join(world.supabaseDir, 'functions', 'linked'));
    expect((await read('linked')).word).toBe('old');
    expect(world.functions.list()).toContain('linked');
    world.write('elsewhere/index.ts', withPid(`'new'`));
    await expect.poll(async () => (await read('linked')).word, soon).toBe('new');

    expect((await read('secret')).word).toBe('undefined');
    world.write('supabase/functions/.env', 'WORD=known\n');
    await expect.poll(async () => (await read('secret')).word, soon).toBe('known');
  });

  it('lets current requests finish in the old process', async () => {
    const slow = (text: string) =>
      `Deno.serve(async (request) => { if (request.url.endsWith('slow')) await new Promise((go) => setTimeout(go, 800)); return new Response('${text}'); });`;
    world.write('slow', slow('old'));
    expect(await (await world.call('slow')).text()).toBe('old');
    const pending = world.call('slow/slow');
    await expect.poll(() => world.functions.describe('slow')?.pending, soon).toBe(1);
    world.write('slow', slow('new'));
    await expect.poll(async () => (await world.call('slow')).text(), soon).toBe('new');
    expect(await (await pending).text()).toBe('old');
  });

  it('with an error logs it before the next call, and the next save fixes it', async () => {
    expect(await (await world.call('typed')).text()).toBe('runs');
    world.write('typed', 'Deno.serve((');
    await expect.poll(() => world.lines('typed').join('\n'), soon).toMatch(/typed\/index\.ts:1:\d+/);
    world.write('typed', `Deno.serve(() => new Response('again'));`);
    await expect.poll(async () => (await world.call('typed')).text(), soon).toBe('again');
  });

  it('with a type error still runs, and the log contains the location', async () => {
    // Only the types of functions that are running are checked.
    expect((await world.call('typed')).status).toBe(200);
    world.write(
      'typed',
      `const n: number = 'x';\nDeno.serve(() => { EdgeRuntime.waitUntil(Promise.resolve()); return new Response('typed ' + n); });`,
    );
    await expect.poll(async () => (await world.call('typed')).text(), soon).toBe('typed x');
    const place = join(world.supabaseDir, 'functions/typed/index.ts');
    await expect
      .poll(() => world.functions.logs.recent({ function: 'typed', level: 'warn' }).map(({ line }) => line), {
        timeout: 50_000,
      })
      .toContain(`${place}:1:7 TS2322: Type 'string' is not assignable to type 'number'.`);
    // Globals that the runtime adds aren't type errors.
    expect(world.lines('typed').join('\n')).not.toMatch(/EdgeRuntime/);
  });
});

describe('an error', () => {
  it('that is thrown has its stack with source locations in the response and in the log', async () => {
    const response = await world.call('throws');
    const text = await response.text();
    expect([response.status, text.split('\n')[0]]).toEqual([500, 'Internal Server Error']);
    for (const seen of [text, world.lines('throws').join('\n')]) {
      expect(seen).toMatch(/Error: on purpose\n\s+at deep \(file:.*\/throws\/index\.ts:2:9\)/);
      expect(seen).toMatch(/TypeError: the root/);
    }
    const id = response.headers.get('x-request-id') ?? '';
    expect(
      world.functions.logs.recent({ function: 'throws', requestId: id, level: 'error' })[0]?.line,
    ).toMatch(/on purpose\n\s+at deep [\s\S]*TypeError: the root/);
  });

  it('can be handled by the function itself', async () => {
    const response = await world.call('handled');
    expect([response.status, await response.text()]).toEqual([503, 'handled mine']);
  });

  it.each([
    ['syntax', /syntax\/index\.ts:2:\d+/],
    ['early', /Invalid URL[^"]*early\/index\.ts:2:1/],
  ])('of %s has its location in the response', async (slug, place) => {
    const response = await world.call(slug);
    const body = await response.json();
    expect([response.status, body.code]).toEqual([503, 'BOOT_ERROR']);
    expect(body.message).toBe('Worker failed to boot (please check logs)');
    expect(body.details).toMatch(place);
  });
});

it('an unauthorized caller can’t read the errors', async () => {
  const production = await functionsWorld({
    files: { throws: `Deno.serve(() => { throw new Error('inner matter'); });`, syntax: 'const = 1;' },
  });
  try {
    expect(await (await production.call('throws')).text()).toBe('Internal Server Error');
    expect(await (await production.call('syntax')).json()).toEqual({
      code: 'BOOT_ERROR',
      message: 'Worker failed to boot (please check logs)',
    });
    expect(production.lines('throws').join('\n')).toMatch(/inner matter/);
  } finally {
    await production.stop();
  }
});

it('changes to editor backup files and packages don’t restart functions', async () => {
  const before = await read('other');
  mkdirSync(join(world.supabaseDir, 'functions/other/node_modules'), { recursive: true });
  for (const name of ['index.ts~', '.index.ts.swp', 'node_modules/a.js'])
    world.write(`supabase/functions/other/${name}`, 'x');
  // When a later change is detected, the earlier changes have been processed too.
  world.write('first', withPid(`'seen'`));
  await expect.poll(async () => (await read('first')).word, soon).toBe('seen');
  expect(await read('other')).toEqual(before);
});
