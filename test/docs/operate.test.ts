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
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseInput } from '../../src/entry/cli/command.ts';
import { registry } from '../../src/entry/cli/registry.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { loadConfig } from '../../src/platform/config/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/operate.md`, 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code]) => code as string,
  );

let backend: Backend;
beforeAll(async () => {
  backend = await createTestBackend({ projectDir: `${root}examples/live-board` });
});
afterAll(() => backend.stop());

describe('commands', () => {
  const lines = blocks('sh').flatMap((code) => code.trim().split('\n'));
  const ours = lines.filter((line) => line.startsWith('plinth '));

  it.each(ours)('%s', async (line) => {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)]
      .map(([, quoted, plain]) => quoted ?? plain ?? '')
      .slice(1);
    const count = [3, 2, 1].find((each) => registry[words.slice(0, each).join(' ')] !== undefined) ?? 0;
    const command = await registry[words.slice(0, count).join(' ')]?.load();
    expect(command).toBeDefined();
    if (command !== undefined) expect(() => parseInput(command, words.slice(count))).not.toThrow();
  });

  it('npm scripts exist in package.json', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object };
    const named = lines.flatMap((line) => /^npm run (\S+)/.exec(line)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(scripts).toHaveProperty(name);
  });
});

it.each(blocks('toml'))('settings are accepted: %s', (text) => {
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
