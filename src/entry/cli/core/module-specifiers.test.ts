import { describe, expect, test } from 'vitest';
import { type ImportMap, parseImportMap, resolveImport, specifiersIn } from './module-specifiers.ts';

describe('the specifiers of a module', () => {
  test.each([
    ['import a from "./a.ts";', ['./a.ts']],
    ["import { a,\n  b as c } from './a.ts'", ['./a.ts']],
    ['import type { A } from "./a.ts";', ['./a.ts']],
    ['import * as a from "npm:a@1"', ['npm:a@1']],
    ['export * from "./a.ts"; export { b } from "./b.ts";', ['./a.ts', './b.ts']],
    ['import "./a.ts";', ['./a.ts']],
    ['const a = await import("./a.ts");', ['./a.ts']],
    ['import data from "./a.json" with { type: "json" };', ['./a.json']],
    ['import a from "./a.ts"\nimport b from "./b.ts"', ['./a.ts', './b.ts']],
    ['import a from "./a.ts"; import("./a.ts")', ['./a.ts']],
    ['export const from = 1; const a = "./a.ts";', []],
    ['important("./a.ts")', []],
    ['', []],
  ])('%j', (source, expected) => expect(specifiersIn(source)).toEqual(expected));
});

const map: ImportMap = {
  path: 'supabase/functions/hello/deno.json',
  imports: {
    shared: '../_shared/mod.ts',
    '@lib/': '../../../lib/',
    '@lib/deep/': './deep/',
    zod: 'npm:zod@4',
  },
  scopes: { './inner/': { shared: './inner/own.ts' } },
};
const importer = 'supabase/functions/hello/index.ts';

describe('an import', () => {
  test.each([
    ['./a.ts', 'supabase/functions/hello/a.ts'],
    ['../_shared/cors.ts', 'supabase/functions/_shared/cors.ts'],
    ['./a%20b.ts?x#y', 'supabase/functions/hello/a b.ts'],
    ['../../../../outside.ts', '../outside.ts'],
    ['npm:zod', undefined],
    ['jsr:@std/http', undefined],
    ['https://esm.sh/x', undefined],
    ['zod', undefined],
    ['unknown', undefined],
    ['shared', 'supabase/functions/_shared/mod.ts'],
    ['@lib/x.ts', 'lib/x.ts'],
    ['@lib/deep/x.ts', 'supabase/functions/hello/deep/x.ts'],
  ])('of %s', (specifier, path) => expect(resolveImport(specifier, importer, map)).toBe(path));

  test('prefers the scope of the importer', () => {
    const inner = 'supabase/functions/hello/inner/x.ts';
    expect(resolveImport('shared', inner, map)).toBe('supabase/functions/hello/inner/own.ts');
  });
});

test('a deno.json can contain comments and trailing commas', () => {
  const json = `{
    // "imports": {"no": "no"},
    "imports": { "a": "https://x.example//a", /* b */ "b,}": "./b,]", },
    "importMap": "../import_map.json",
  }`;
  expect(parseImportMap('deno.json', json)).toEqual({
    path: 'deno.json',
    imports: { a: 'https://x.example//a', 'b,}': './b,]' },
    scopes: {},
    importMap: '../import_map.json',
  });
});
