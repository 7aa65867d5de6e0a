import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FunctionSource } from './catalog.ts';
import { listSourceFiles, readSourceFile } from './source-files.ts';

const project = mkdtempSync(join(tmpdir(), 'plinth-sources-'));
const functionsDir = join(project, 'functions');
beforeAll(() => {
  for (const path of [
    'signing_keys.json',
    'top.ts',
    'functions/all.ts',
    'functions/one/index.ts',
    'functions/one/lib.ts',
  ]) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), path);
  }
});
afterAll(() => rmSync(project, { recursive: true }));

const at = (path: string) => ({ root: undefined, entrypoint: join(project, path) }) as FunctionSource;
const pathsOf = (source: FunctionSource) => listSourceFiles(source, functionsDir).map(({ path }) => path);

test('the files of a function are in its own folder', () => {
  expect(pathsOf(at('functions/one/index.ts'))).toEqual(['index.ts', 'lib.ts']);
});

test('if the entrypoint isn’t in the function’s folder, no other files are listed or read', async () => {
  expect(pathsOf(at('top.ts'))).toEqual(['top.ts']);
  expect(pathsOf(at('functions/all.ts'))).toEqual(['all.ts']);
  expect(await readSourceFile(at('top.ts'), functionsDir, 'top.ts')).toMatchObject({ text: 'top.ts' });
  expect(await readSourceFile(at('top.ts'), functionsDir, 'signing_keys.json')).toBeUndefined();
});
