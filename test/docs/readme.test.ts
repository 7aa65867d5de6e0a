/** Runs the README's examples unchanged. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Backend } from '../../src/main.ts';
import { createTestBackend } from '../../src/testing.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

let backend: Backend;

beforeAll(async () => {
  backend = await createTestBackend({ projectDir: `${root}examples/live-board` });
});

afterAll(async () => {
  await backend.stop();
});

function codeBlock(language: string): string {
  const readme = readFileSync(`${root}README.md`, 'utf8');
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (code === undefined) throw new Error(`README.md has no block marked ${language}`);
  return code;
}

/** Returns the expected output, which the comments in the code contain. */
const promised = (code: string): (string | undefined)[] =>
  [...code.matchAll(/\/\/ prints (.+)$/gm)].map(([, text]) => text);

async function printed(inputType: string, code: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [`--input-type=${inputType}`, '--eval', code], {
    cwd: root,
  });
  return stdout.trim().split('\n');
}

it('the ten-line client prints the output in its comments', async () => {
  const code = codeBlock('js');
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(10);
  expect(code).toContain(backend.keys.publishableKey);
  const here = code.replace('http://127.0.0.1:54321', backend.url);
  expect(here).not.toBe(code);
  expect(await printed('module', here)).toEqual(promised(code));
});

it('the test backend prints the output in its comments', async () => {
  const code = codeBlock('ts');
  expect(await printed('module-typescript', code)).toEqual(promised(code));
});
