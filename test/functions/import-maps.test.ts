/**
 * Tests every way to configure a function's imports with every kind of specifier. As in upstream's runtime, an import
 * of a package also maps the package's subpaths, in every kind of file.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectFunction } from '../../src/entry/cli/management/function-files.ts';
import { configFrom } from '../../src/platform/config/index.ts';
import { type FunctionsWorld, functionsWorld } from './harness.ts';
import { type Registry, startRegistry } from './registry.ts';

const folder = 'supabase/functions';
const manifest = JSON.stringify({ name: 'tiny', version: '1.2.0', main: 'index.js' });

/** The mapped names. The paths of `word` and `shared/` are relative to the folder that contains the file. */
const mapFor = (functionsDir: string, more: Record<string, string> = {}): string =>
  JSON.stringify({
    imports: {
      ...more,
      tiny: 'npm:tiny@1.2.0',
      '@me/lib': 'jsr:@me/lib@^1',
      word: `${functionsDir}/_shared/word.ts`,
      'shared/': `${functionsDir}/_shared/`,
      remote: `${registry.url}/mod.ts`,
      files: 'node:fs',
    },
  });

/** With `importMap` in a deno.json, Deno maps only the given names, so subpaths need entries. */
const subpaths = { 'tiny/': 'npm:/tiny@1.2.0/', '@me/lib/': 'jsr:/@me/lib@^1/' };

/** Imports each kind of specifier, both static and dynamic, from the function and from a shared file. */
const source = `import '@me/lib/types.d.ts';
import { hi } from 'tiny';
import sub from 'tiny/lib/sub.js';
import { j } from '@me/lib';
import { s } from '@me/lib/sub';
import { word } from 'word';
import { word as again } from 'shared/word.ts';
import { remote } from 'remote';
import { readFileSync } from 'files';
import { hi as direct } from 'npm:tiny@1.2.0';
import { through } from '../_shared/through.ts';
Deno.serve(async () => new Response([hi(), sub(), j, s, word, again, remote, typeof readFileSync, direct(), through,
  (await import('tiny/lib/sub.js')).default()].join()));`;
const result = 'npm,sub,jsr,jsr sub,word,word,https,function,npm,sub,sub';

const packageSource = `import { hi } from 'tiny';
import sub from 'tiny/lib/sub.js';
import { word } from '../_shared/word.ts';
import { readFileSync } from 'node:fs';
import { hi as direct } from 'npm:tiny@1.2.0';
import { j } from 'jsr:@me/lib@1';
Deno.serve(() => new Response([hi(), sub(), word, typeof readFileSync, direct(), j].join()));`;

/** The files of each way, and the value of `import_map` in config.toml. The folder is named `f`. */
interface Way {
  readonly files: () => Record<string, string>;
  readonly importMap?: string;
  readonly code?: string;
  readonly answer?: string;
}
const ways: Record<string, Way> = {
  'package.json': {
    files: () => ({ 'f/package.json': '{ "dependencies": { "tiny": "^1.0.0" } }' }),
    code: packageSource,
    answer: 'npm,sub,word,function,npm,jsr',
  },
  'deno.json': { files: () => ({ 'f/deno.json': mapFor('..') }) },
  'deno.jsonc': { files: () => ({ 'f/deno.jsonc': `// As people write it.\n${mapFor('..')}` }) },
  'import_map set to deno.json': {
    files: () => ({ 'f/deno.json': mapFor('..') }),
    importMap: './functions/f/deno.json',
  },
  'import_map set to deno.jsonc': {
    files: () => ({ 'f/deno.jsonc': `// As people write it.\n${mapFor('..')}` }),
    importMap: './functions/f/deno.jsonc',
  },
  'import_map set to a deno.json elsewhere': {
    files: () => ({ '_maps/deno.json': mapFor('..'), 'f/deno.json': '{}' }),
    importMap: './functions/_maps/deno.json',
  },
  'import_map set to an import map': {
    files: () => ({ '_maps/any-name.json': mapFor('..') }),
    importMap: './functions/_maps/any-name.json',
  },
  'import_map.json': { files: () => ({ 'f/import_map.json': mapFor('..') }) },
  'a shared import_map.json': { files: () => ({ 'import_map.json': mapFor('.') }) },
  'a deno.json that refers to a file': {
    files: () => ({
      'f/deno.json': '{ "importMap": "../_maps/other.json" }',
      '_maps/other.json': mapFor('..', subpaths),
    }),
  },
  'import_map set to a deno.json that refers to a file': {
    files: () => ({
      'f/deno.json': '{ "importMap": "../_maps/other.json" }',
      '_maps/other.json': mapFor('..', subpaths),
    }),
    importMap: './functions/f/deno.json',
  },
  'a package of the same workspace': {
    files: () => ({
      'deno.json': '{ "workspace": ["./f", "./_*"] }',
      'f/deno.json': '{}',
      '_words/deno.json': '{ "name": "@me/words", "exports": { ".": "./a.ts", "./b": "./b/b.ts" } }',
      '_words/a.ts': `export const a: string = 'a';`,
      '_words/b/b.ts': `export const b: string = 'b';`,
      '_more/deno.json': '{ "name": "@me/more", "exports": "./more.ts" }',
      '_more/more.ts': `export { a as more } from '@me/words';`,
    }),
    code: `import { a } from '@me/words'; import { b } from '@me/words/b'; import { more } from '@me/more';
      Deno.serve(() => new Response([a, b, more].join()));`,
    answer: 'a,b,a',
  },
  'a member of a workspace': {
    files: () => ({ 'deno.json': `{ "workspace": ["./f"], ${mapFor('.').slice(1)}`, 'f/deno.json': '{}' }),
  },
  'import_map set to a member of a workspace': {
    files: () => ({ 'deno.json': `{ "workspace": ["./f"], ${mapFor('.').slice(1)}`, 'f/deno.json': '{}' }),
    importMap: './functions/f/deno.json',
  },
};

let registry: Registry;
beforeAll(async () => {
  const jsr = {
    '.': `export const j = 'jsr';\n`,
    './sub': `export const s = 'jsr sub';\n`,
    './types.d.ts': 'declare const declared: string;\n',
  };
  registry = await startRegistry({
    npm: {
      tiny: {
        'package.json': manifest,
        'index.js': `exports.hi = () => 'npm';`,
        'lib/sub.js': `module.exports = () => 'sub';`,
      },
    },
    modules: { '/mod.ts': `export const remote: string = 'https';` },
    jsr: { '@me/lib': jsr },
  });
});
afterAll(() => registry?.close());

const shared = () => ({
  [`${folder}/.env`]: `NPM_CONFIG_REGISTRY=${registry.url}/\nJSR_URL=${registry.url}/jsr/\n`,
  [`${folder}/_shared/word.ts`]: `export const word: string = 'word';`,
  [`${folder}/_shared/through.ts`]: `import sub from 'tiny/lib/sub.js'; export const through: string = sub();`,
});

describe('a function in the project folder', () => {
  it.each(Object.entries(ways))(
    'resolves every kind of import with %s',
    async (_name, { files, importMap, code = source, answer = result }) => {
      const own = Object.entries(files()).map(([path, text]) => [`${folder}/${path}`, text]);
      const world: FunctionsWorld = await functionsWorld({
        config: importMap === undefined ? {} : { functions: { f: { import_map: importMap } } },
        files: { ...shared(), f: code, ...Object.fromEntries(own) },
      });
      try {
        const text = await (await world.call('f')).text();
        expect([text, world.lines('f').filter((line) => /error/i.test(line))]).toEqual([answer, []]);
      } finally {
        await world.stop();
      }
    },
  );
});

describe('a deployed function', () => {
  it.each(Object.entries(ways))(
    'resolves every kind of import with %s',
    async (_name, { files, importMap, code = source, answer = result }) => {
      const world = await functionsWorld({ files: shared() });
      try {
        for (const [path, text] of Object.entries(files())) world.write(`${folder}/${path}`, text);
        world.write('f', code);
        // The archive contains the files that `functions deploy` collects.
        const { metadata, files: uploaded } = collectFunction('f', {
          projectDir: world.root,
          config: configFrom(
            importMap === undefined ? {} : { functions: { f: { import_map: importMap } } },
            world.supabaseDir,
          ),
          importMap: undefined,
          noVerifyJwt: false,
          warn: () => undefined,
        });
        await world.functions.deployments.deploy({
          slug: 'f',
          entrypointPath: metadata.entrypoint_path,
          importMapPath: metadata.import_map_path,
          files: uploaded,
        });
        const text = await (await world.call('f')).text();
        expect([text, world.lines('f').filter((line) => /error/i.test(line))]).toEqual([answer, []]);
      } finally {
        await world.stop();
      }
    },
  );
});
