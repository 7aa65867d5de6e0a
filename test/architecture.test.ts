/** The boundaries between rooms, as the linter of this project keeps them: what it refuses, and what it lets pass. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');

const asTypes = 'imports its siblings as types only';
const onlyIndex = "Only a room's index.ts or types.ts may be imported";
const pointDown = 'Imports point down';

type Case = readonly [what: string, path: string, line: string, said?: string];

const refused: readonly Case[] = [
  ['a value of a sibling', 'src/functions/x.ts', "import { errorTable } from '../auth/index.ts';", asTypes],
  ['a value beside a type', 'src/rest/x.ts', "import { type A, b } from '../auth/index.ts';", asTypes],
  ['all of a sibling', 'src/console/x.ts', "import * as auth from '../auth/index.ts';", asTypes],
  ['from a folder below', 'src/auth/core/x.ts', "import { a } from '../../mail/index.ts';", asTypes],
  ['handing on', 'src/account/x.ts', "export { a } from '../auth/index.ts';", asTypes],
  ['handing on everything', 'src/account/x.ts', "export * from '../auth/index.ts';", asTypes],
  ['at run time', 'src/storage/x.ts', "export const a = await import('../auth/index.ts');", asTypes],
  ['the inside of a room', 'src/functions/x.ts', "import type { A } from '../auth/rows.ts';", onlyIndex],
  [
    'a service from the database',
    'src/database/x.ts',
    "import type { A } from '../rest/index.ts';",
    pointDown,
  ],
  [
    'a service from the gateway',
    'src/gateway/x.ts',
    "import type { A } from '../rest/index.ts';",
    'knows services only as',
  ],
  [
    'a room from the kernel',
    'src/kernel/x.ts',
    "import type { A } from '../keys/types.ts';",
    'imports nothing of ours',
  ],
];

const allowed: readonly Case[] = [
  ['a type of a sibling', 'src/functions/x.ts', "export type { A } from '../auth/index.ts';"],
  [
    'a type that is imported',
    'src/auth/x.ts',
    "import type { A } from '../mail/types.ts';\nexport const a: A = 1;",
  ],
  ['a value from below', 'src/auth/x.ts', "export { sql } from '../kernel/sql.ts';"],
  ['a value of the own room', 'src/auth/core/x.ts', "export { a } from '../errors.ts';"],
  ['values of every room, in main', 'src/main.ts', "export { createAuth } from './auth/index.ts';"],
];

let folder: string;
/** File to what the linter says about it. */
const said = new Map<string, string>();

const fileOf = (kind: string, index: number, path: string): string =>
  path.replace('x.ts', `${kind}${index}.ts`);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-lint-'));
  cpSync(join(root, 'biome.json'), join(folder, 'biome.json'));
  cpSync(join(root, 'scripts/lint'), join(folder, 'scripts/lint'), { recursive: true });
  for (const [kind, cases] of Object.entries({ refused, allowed })) {
    for (const [index, [, path, line]] of cases.entries()) {
      const file = join(folder, fileOf(kind, index, path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${line}\n`);
    }
  }
  for (const { location, message } of await lint()) {
    const file = location.path.replaceAll('\\', '/');
    said.set(file, `${said.get(file) ?? ''}${message}\n`);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Diagnostic {
  readonly message: string;
  readonly location: { readonly path: string };
}

function lint(): Promise<readonly Diagnostic[]> {
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '--vcs-enabled=false', 'src'];
  return new Promise((resolve, reject) => {
    // Faults are found, so the status is 1.
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) => {
      const start = stdout.indexOf('{');
      if (start === -1) reject(new Error(`the linter gave no JSON: ${stderr}`, { cause: error }));
      else resolve((JSON.parse(stdout.slice(start)) as { diagnostics: Diagnostic[] }).diagnostics);
    });
  });
}

describe('refused', () => {
  it.each(refused.map((one, index) => [one[0], index] as const))('%s', (_what, index) => {
    const [, path, , words] = refused[index] as Case;
    expect(said.get(fileOf('refused', index, path))).toContain(words);
  });
});

describe('let pass', () => {
  it.each(allowed.map((one, index) => [one[0], index] as const))('%s', (_what, index) => {
    const [, path] = allowed[index] as Case;
    expect(said.get(fileOf('allowed', index, path))).toBeUndefined();
  });
});
