/** Tests functions that import private npm packages with the registries and tokens in `.npmrc` files. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from './harness.ts';
import { type Registry, startRegistry } from './registry.ts';

const token = 'npm-token-1';
const folder = 'supabase/functions';
const scopes = ['shared', 'own', 'config', 'later', 'missing', 'deployed', 'uploaded'];
const importing = (scope: string, name = `npm:@${scope}/lib@1`) => `import text from '${name}';
  Deno.serve(() => Response.json([text, Deno.env.get('HOME') ?? null]));`;

let registry: Registry;
/** The registry for scopes that no `.npmrc` file contains. */
let empty: Registry;
let world: FunctionsWorld;
const npmrc = (...names: string[]): string =>
  [
    ...names.map((scope) => `@${scope}:registry=${registry.url}/`),
    `//127.0.0.1:${registry.port}/:_authToken=\${NPM_TOKEN}`,
  ].join('\n');

beforeAll(async () => {
  const packages = scopes.map((scope) => [
    `@${scope}/lib`,
    {
      'package.json': JSON.stringify({ name: `@${scope}/lib`, version: '1.2.0', main: 'index.js' }),
      'index.js': `module.exports = 'private ${scope}';`,
    },
  ]);
  registry = await startRegistry({ npm: Object.fromEntries(packages) }, undefined, token);
  empty = await startRegistry({});
  world = await functionsWorld({
    isDevelopment: true,
    files: {
      [`${folder}/.env`]: `NPM_TOKEN=${token}\nNPM_CONFIG_REGISTRY=${empty.url}/\n`,
      [`${folder}/.npmrc`]: npmrc('shared', 'config', 'deployed'),
      shared: importing('shared'),
      own: importing('own'),
      [`${folder}/own/.npmrc`]: npmrc('own'),
      config: importing('config', 'lib'),
      [`${folder}/config/deno.json`]: `{ "imports": { "lib": "npm:@config/lib@1" } }`,
      later: importing('later'),
      missing: importing('missing'),
    },
  });
});
afterAll(async () => {
  registry?.close();
  empty?.close();
  await world?.stop();
});

const answerOf = async (slug: string) => (await world.call(slug)).json() as Promise<unknown>;

it.each([
  ['shared', 'in functions/, without a deno.json'],
  ['own', 'in the function’s folder, without a deno.json'],
  ['config', 'in functions/, with a deno.json in the function’s folder'],
])('%s: the file can be %s', async (slug) => {
  expect(await answerOf(slug)).toEqual([`private ${slug}`, null]);
});

it('a file that is created later applies to the next start', async () => {
  expect((await world.call('later')).status).toBe(503);
  world.write(`${folder}/later/.npmrc`, npmrc('later'));
  await expect.poll(() => answerOf('later'), { timeout: 10_000 }).toEqual(['private later', null]);
});

it.each([
  ['deployed', 'the server’s file in functions/', []],
  ['uploaded', 'a file that was uploaded with it', [`${folder}/.npmrc`]],
])('%s: a deployed function uses %s', async (slug, _what, uploaded) => {
  const entrypointPath = `${folder}/${slug}/index.ts`;
  await world.functions.deployments.deploy({
    slug,
    entrypointPath,
    files: [
      { path: entrypointPath, content: Buffer.from(importing(slug)) },
      ...uploaded.map((path) => ({ path, content: Buffer.from(npmrc(slug)) })),
    ],
  });
  expect(await answerOf(slug)).toEqual([`private ${slug}`, null]);
});

it('a package from a registry that the file doesn’t contain isn’t found', async () => {
  expect(await answerOf('missing')).toMatchObject({ code: 'BOOT_ERROR' });
});
