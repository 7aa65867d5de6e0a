/** Tests that the commands, settings, files, endpoints and metrics in docs/operate.md and deploy/ exist. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { parseCommand } from './commands.ts';
import { blocksOf, commandLines, readPage, root, wordsOf } from './pages.ts';

const page = readPage('operate');

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({ projectDir: `${root}examples/live-board` });
});
afterAll(() => backend.stop());

describe('commands', () => {
  const lines = commandLines(page);
  const ours = lines.filter((line) => line.startsWith('plinth '));

  it.each(ours)('%s', async (line) => {
    await expect(parseCommand(wordsOf(line).slice(1))).resolves.toBeDefined();
  });

  it('npm scripts exist in package.json', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object };
    const named = lines.flatMap((line) => /^npm run (\S+)/.exec(line)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(scripts).toHaveProperty(name);
  });
});

it.each(blocksOf(page, 'toml'))('settings are accepted: %s', (text) => {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-operate-'));
  onTestFinished(() => rmSync(projectDir, { recursive: true }));
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "operate"\n');
  writeFileSync(join(projectDir, 'supabase', 'plinth.toml'), text);
  const variables = { BACKUP_KEY: '00'.repeat(32), BACKUP_S3_KEY: 'a', BACKUP_S3_SECRET: 'b' };
  writeFileSync(
    join(projectDir, '.env'),
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  expect(loadConfig({ projectDir }).warnings).toEqual([]);
});

it('files that the page links to exist', () => {
  const links = [...page.matchAll(/\]\(\.\.\/(deploy\/[^)]+)\)/g)].map(([, path]) => path as string);
  expect(links.length).toBeGreaterThan(2);
  for (const path of links) expect([path, existsSync(`${root}${path}`)]).toEqual([path, true]);
});

it('endpoints on the page and in the examples respond', async () => {
  const texts = [
    page,
    ...readdirSync(`${root}deploy`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, 'utf8')),
  ];
  const paths = new Set(texts.flatMap((text) => text.match(/\/(?:health\/\w+|metrics)\b/g) ?? []));
  expect(paths).toEqual(new Set(['/health/live', '/health/ready', '/metrics']));
  for (const path of paths) {
    const response = await backend.fetch(path, { headers: { apikey: backend.keys.secretKey } });
    expect([path, response.status]).toEqual([path, 200]);
  }
});
