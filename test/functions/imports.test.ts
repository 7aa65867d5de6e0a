/**
 * Tests the modules that a function can import, how imports are resolved, which modules are cached for use without a
 * network, and which imports are rejected.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from './harness.ts';
import { type Registry, startRegistry } from './registry.ts';

const says = (expression: string) => `Deno.serve(async () => new Response(String(${expression})));`;
const manifest = JSON.stringify({ name: 'tiny', version: '1.2.0', main: 'index.js' });

let registry: Registry;
let world: FunctionsWorld;

beforeAll(async () => {
  registry = await startRegistry({
    npm: { tiny: { 'package.json': manifest, 'index.js': `exports.hi = () => 'npm';` } },
    modules: {
      '/mod.ts': `export const remote: string = 'https';`,
      '/fresh.ts': `export const remote: string = 'fresh';`,
    },
    jsr: { '@me/lib': `export const j = 'jsr';\n` },
  });
  const folder = 'supabase/functions';
  world = await functionsWorld({
    config: {
      functions: {
        mapped: { import_map: './maps/mapped.json' },
        elsewhere: { entrypoint: './other/place.tsx' },
        texts: { static_files: ['./texts/*.txt'] },
      },
    },
    files: {
      // To use a private registry, a project sets these Deno variables.
      [`${folder}/.env`]: `NPM_CONFIG_REGISTRY=${registry.url}/\nJSR_URL=${registry.url}/jsr/\nONE=shared\nTWO=shared\n`,
      [`${folder}/_shared/word.ts`]: `export const word = 'shared';`,
      shared: `import { word } from '../_shared/word.ts';\n${says('word')}`,
      remote: `import { hi } from 'npm:tiny@^1';
        import { remote } from '${registry.url}/mod.ts';
        import { j } from 'jsr:@me/lib@1';
        ${says('[hi(), remote, j]')}`,
      named: `import { word } from 'word';\nimport { hi } from 'tiny';\n${says('[word, hi()]')}`,
      [`${folder}/named/deno.json`]: `{ "imports": { "word": "../_shared/word.ts", "tiny": "npm:tiny@1.2.0" } }`,
      commented: `import { word } from 'word';\n${says('word')}`,
      [`${folder}/commented/deno.jsonc`]: `{ /* as people write it */ "imports": { "word": "../_shared/word.ts" } }`,
      old: `import { word } from 'word';\n${says('word')}`,
      [`${folder}/old/import_map.json`]: `{ "imports": { "word": "../_shared/word.ts" } }`,
      mapped: `import { word } from 'word';\n${says('word')}`,
      [`${folder}/mapped/deno.json`]: `{ "imports": { "word": "./gone.ts" } }`,
      'supabase/maps/mapped.json': `{ "imports": { "word": "../functions/_shared/word.ts" } }`,
      'deno.json': `{ "imports": { "word": "./of-the-app.ts", "tiny": "./of-the-app.ts" } }`,
      packaged: `import tiny from 'tiny';\n${says('tiny.hi()')}`,
      [`${folder}/packaged/package.json`]: `{ "dependencies": { "tiny": "^1.0.0" } }`,
      vendored: `import other from 'npm:other@1';\n${says('other()')}`,
      [`${folder}/vendored/node_modules/other/package.json`]: `{ "name": "other", "version": "1.0.0", "main": "i.js" }`,
      [`${folder}/vendored/node_modules/other/i.js`]: `module.exports = () => 'vendored';`,
      'supabase/other/place.tsx': `const h = (name: string, _p: null, ...c: string[]) => '<' + name + '>' + c.join('');
        /** @jsx h */ ${says('<b>elsewhere</b>')}`,
      [`${folder}/plain/index.ts`]: `import data from './data.json' with { type: 'json' }; import fs from 'node:fs'; ${says('data.a + typeof fs.readFileSync')}`,
      [`${folder}/plain/data.json`]: `{ "a": "json " }`,
      'supabase/texts/a.txt': 'static',
      'supabase/hidden.txt': 'not static',
      texts: `const read = (path: string) => Deno.readTextFile(new URL(path, import.meta.url)).catch((error) => error.name);
        ${says("[await read('../../texts/a.txt'), await read('../../hidden.txt')]")}`,
      monorepo: `import { price } from '../../../packages/prices/mod.ts';\n${says('price')}`,
      'packages/prices/mod.ts': 'export const price: number = 7;',
      own: `Deno.serve(() => Response.json(['ONE', 'TWO', 'THREE'].map((name) => Deno.env.get(name))));`,
      [`${folder}/own/.env`]: 'TWO=own\nTHREE=own\n',
    },
  });
});
afterAll(async () => {
  registry?.close();
  await world?.stop();
});

const textOf = async (slug: string) => (await world.call(slug)).text();

describe('imports', () => {
  it.each([
    ['shared', 'shared'],
    ['remote', 'npm,https,jsr'],
    ['named', 'shared,npm'],
    ['commented', 'shared'],
    ['old', 'shared'],
    ['mapped', 'shared'],
    ['packaged', 'npm'],
    ['vendored', 'vendored'],
    ['elsewhere', '<b>elsewhere'],
    ['plain', 'json function'],
    ['monorepo', '7'],
  ])('work: %s', async (slug, text) => {
    expect([await textOf(slug), world.lines(slug).filter((line) => /error/i.test(line))]).toEqual([text, []]);
  });

  it('can read static files at their location, but only those that a glob matches', async () => {
    expect(await textOf('texts')).toBe('static,NotCapable');
  });

  it("a function's own .env takes precedence over the shared one", async () => {
    expect(await (await world.call('own')).json()).toEqual(['shared', 'own', 'own']);
  });

  it.each([
    ['the server’s JSON files', '../../../.plinth/secrets.json', 'json'],
    ['the machine’s text files', '/etc/passwd', 'text'],
    ['another function’s secrets', '../own/.env', 'text'],
    ['binary files in a hidden folder', '../../../.git/config', 'bytes'],
  ])('reject %s, although Deno would allow the import', async (_name, path, type) => {
    world.write('supabase/../.plinth/secrets.json', `{ "jwt_secret": "s3cret-of-ours" }`);
    mkdirSync(join(world.root, '.git'), { recursive: true });
    writeFileSync(join(world.root, '.git/config'), 's3cret-of-ours');
    const slug = `thief-${type}-${path.length}`;
    world.write(`supabase/functions/${slug}/deno.json`, `{ "unstable": ["raw-imports"] }`);
    world.write(
      slug,
      `import stolen from '${path}' with { type: '${type}' };\n${says('JSON.stringify(stolen)')}`,
    );
    const response = await world.call(slug);
    expect([response.status, (await response.json()).code]).toEqual([503, 'BOOT_ERROR']);
    expect(world.lines(slug).join()).toMatch(/isn't allowed to import/);
    expect(world.lines(slug).join()).not.toMatch(/s3cret|root:/);
  });

  it('can’t read anything through a path that is computed at run time', async () => {
    world.write(
      'late',
      `const way = ['..', '..', '..', '.plinth', 'secrets.json'].join('/');
       ${says("await import(way, { with: { type: 'json' } }).then(() => 'read', (error) => error.name)")}`,
    );
    expect(await textOf('late')).toBe('TypeError');
  });
});

describe('without a network', () => {
  it('cached modules work, and the error for others says what to do', async () => {
    expect(await textOf('remote')).toBe('npm,https,jsr');
    const before = registry.asked.length;
    registry.close();
    // This is a different process, running a different function with the same imports.
    world.write(
      'again',
      `import { hi } from 'npm:tiny@^1'; import { remote } from '${registry.url}/mod.ts'; ${says('[hi(), remote]')}`,
    );
    expect(await textOf('again')).toBe('npm,https');
    expect(registry.asked.slice(before)).toEqual([]);
    world.write('missing', `import { remote } from '${registry.url}/fresh.ts'; ${says('remote')}`);
    const response = await world.call('missing');
    expect([response.status, (await response.json()).code]).toEqual([503, 'BOOT_ERROR']);
    expect(world.lines('missing').at(-1)).toMatch(/fresh\.ts couldn't be downloaded\. .*vendor/);
    world.write('missing-package', `import 'npm:never-heard-of@1'; ${says('1')}`);
    expect((await world.call('missing-package')).status).toBe(503);
    expect(world.lines('missing-package').at(-1)).toMatch(/never-heard-of couldn't be downloaded/);
  });
});
