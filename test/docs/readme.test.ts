/** Runs the README's examples unchanged. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { templateNames } from '../../src/entry/cli/core/templates.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { hasOlderVersions, installTimeoutMs, olderNode, olderVersions } from '../node-versions/index.ts';

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

async function printed(inputType: string, code: string, node = process.execPath): Promise<string[]> {
  const { stdout } = await run(node, [`--input-type=${inputType}`, '--eval', code], {
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

it.runIf(hasOlderVersions).each(olderVersions)(
  'the ten-line client also runs on Node.js %s',
  async (version) => {
    const node = await olderNode(version);
    expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${version}\\.`));
    // The example counts its rows, so it needs an empty database.
    const empty = await createTestBackend({ projectDir: `${root}examples/live-board` });
    try {
      const code = codeBlock('js');
      const here = code.replace('http://127.0.0.1:54321', empty.url);
      expect(await printed('module', here, node)).toEqual(promised(code));
    } finally {
      await empty.stop();
    }
  },
  installTimeoutMs,
);

it('the README, the npm page and the templates state the version that the client requires', () => {
  const { engines, version } = JSON.parse(
    readFileSync(`${root}node_modules/@supabase/supabase-js/package.json`, 'utf8'),
  ) as { engines: { node: string }; version: string };
  const required = /^>=(\d+)/.exec(engines.node)?.[1];
  const client = version.split('.').slice(0, 2).join('.');
  const readmes = templateNames.map((name) => `templates/${name}/README.md`);
  for (const path of ['README.md', 'docs/npm-readme.md', ...readmes]) {
    const text = readFileSync(root + path, 'utf8').replace(/\s+/g, ' ');
    expect([path, text.includes(`Node.js ${required} or later`), text.includes(client)]).toEqual([
      path,
      true,
      true,
    ]);
  }
});

it('the test backend prints the output in its comments', async () => {
  const code = codeBlock('ts');
  expect(await printed('module-typescript', code)).toEqual(promised(code));
});
