import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFunctionFiles, saveFunctionFiles } from './function-files.ts';

let folder: string;
let functionsDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-function-files-'));
  functionsDir = join(folder, 'project/supabase/functions');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const save = (files: Readonly<Record<string, string>>) =>
  saveFunctionFiles(
    functionsDir,
    'hello',
    Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
  );
function write(path: string, text: string): void {
  mkdirSync(dirname(join(functionsDir, path)), { recursive: true });
  writeFileSync(join(functionsDir, path), text);
}
const textOf = (path: string) => readFileSync(join(functionsDir, path), 'utf8');

test('creates and replaces files, and keeps the other files of the function', () => {
  write('hello/index.ts', 'old');
  write('hello/notes.md', 'kept');
  save({ 'hello/index.ts': 'new', 'hello/lib/a.ts': 'a', '_shared/cors.ts': 'cors' });
  expect(['hello/index.ts', 'hello/notes.md', 'hello/lib/a.ts', '_shared/cors.ts'].map(textOf)).toEqual([
    'new',
    'kept',
    'a',
    'cors',
  ]);
  expect(readdirSync(join(functionsDir, 'hello')).sort()).toEqual(['index.ts', 'lib', 'notes.md']);
});

test('never changes a file outside the function’s folder', () => {
  write('_shared/cors.ts', 'cors');
  save({ 'hello/index.ts': '1', '_shared/cors.ts': 'cors' });
  expect(() => save({ 'hello/index.ts': '2', '_shared/cors.ts': 'other' })).toThrow(
    "supabase/functions/_shared/cors.ts wasn't written: it has other contents",
  );
  expect([textOf('_shared/cors.ts'), textOf('hello/index.ts')]).toEqual(['cors', '1']);
});

test.each(['.env', 'hello/.env', 'hello/.git/config', 'hello/.envrc', '.vscode/tasks.json'])(
  'rejects the hidden file %s',
  (path) => {
    expect(() => save({ 'hello/index.ts': '1', [path]: 'x' })).toThrow('hidden files');
    expect(existsSync(functionsDir)).toBe(false);
  },
);

test('writes nothing through links that lead out of the folder', () => {
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  mkdirSync(join(functionsDir, 'hello'), { recursive: true });
  symlinkSync(outside, join(functionsDir, 'hello/lib'), 'junction');
  expect(() => save({ 'hello/index.ts': '1', 'hello/lib/a.ts': 'a' })).toThrow('outside the project folder');
  symlinkSync(join(outside, 'new.ts'), join(functionsDir, 'hello/b.ts'));
  expect(() => save({ 'hello/index.ts': '1', 'hello/b.ts': 'b' })).toThrow('outside the project folder');
  expect([readdirSync(outside), existsSync(join(functionsDir, 'hello/index.ts'))]).toEqual([[], false]);
});

test('rejects a path that is a folder, and a path below a file, before anything is replaced', () => {
  write('hello/index.ts', '1');
  write('hello/lib/a.ts', 'a');
  expect(() => save({ 'hello/index.ts': '2', 'hello/lib': 'x' })).toThrow("isn't a file");
  expect(() => save({ 'hello/index.ts': '2', 'hello/index.ts/b.ts': 'x' })).toThrow();
  expect(textOf('hello/index.ts')).toBe('1');
});

test('reads source files, but neither hidden files, packages nor links', () => {
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'secret');
  expect(() => readFunctionFiles(join(functionsDir, 'hello'))).toThrow('ENOENT');
  write('hello/lib/a.ts', 'a');
  write('hello/.env', 'SECRET=1');
  write('hello/node_modules/x/index.js', 'x');
  symlinkSync(secret, join(functionsDir, 'hello/link.ts'));
  expect(readFunctionFiles(join(functionsDir, 'hello'))).toBeUndefined();
  write('hello/index.ts', '1');
  expect(
    readFunctionFiles(join(functionsDir, 'hello'))?.map(({ path, content }) => [path, content.toString()]),
  ).toEqual([
    ['index.ts', '1'],
    ['lib/a.ts', 'a'],
  ]);
});
