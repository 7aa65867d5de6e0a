/** Tests the files of the components, the page about them, and the command that copies them. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { javascriptComponents } from '../../scripts/ui-javascript.ts';
import { filesOfComponents, targetOf, uiComponents } from '../../src/entry/cli/ui-components.ts';
import { plinth } from '../cli/run-plinth.ts';
import { makeProject } from '../config/project-folder.ts';
import { codeBlocks, readPage, root } from '../docs/pages.ts';
import { typeErrors } from '../docs/typecheck.ts';

const names = Object.keys(uiComponents);
const inReact = {
  'package.json': '{"dependencies":{"react":"19"}}',
  'tsconfig.json': '{}',
  'src/main.tsx': '',
};

test('the components and the code on the page have no type errors', () => {
  const files = (['react', 'elements'] as const).flatMap((framework) =>
    filesOfComponents(names, { framework, language: 'ts', folder: 'src/components', publicFolder: 'public' }),
  );
  const sources = files.filter(({ path }) => /\.tsx?$/.test(path));
  const blocks = codeBlocks(readPage('sign-in-components')).flatMap(({ path, code }) =>
    path === undefined ? [] : [[path, code] as const],
  );
  expect(blocks.map(([path]) => path)).toEqual(['src/Start.tsx', 'src/start.ts']);
  expect(
    typeErrors({
      'css.d.ts': "declare module '*.css';",
      ...Object.fromEntries(sources.map(({ path, text }) => [path, text])),
      'src/Start.tsx': blocks[0]?.[1] ?? '',
      'src/elements.ts': blocks[1]?.[1] ?? '',
    }),
  ).toBe('');
});

test('the JavaScript files are those of the TypeScript files (node scripts/ui-javascript.ts)', () => {
  const folder = `${root}templates/ui/javascript`;
  const stored = globSync('**/*.{js,jsx}', { cwd: folder }).sort();
  const read = stored.map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const);
  expect(Object.fromEntries(read)).toEqual(javascriptComponents());
});

describe('plinth ui add', () => {
  test('lists the components', async () => {
    const { status, stdout } = await plinth(['ui', 'add'], { cwd: makeProject(inReact) });
    expect(status).toBe(0);
    for (const name of names) expect(stdout).toContain(name);
  });

  test('copies the files of a component, and repeats nothing', async () => {
    const cwd = makeProject(inReact);
    const first = await plinth(['ui', 'add', 'sign-in-form', 'account-dialog'], { cwd });
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('<SignInForm supabase={supabase} />'),
    });
    for (const path of [
      'src/components/auth/sign-in-form.tsx',
      'src/components/auth/core/sign-in.ts',
      'src/components/auth/auth.css',
      'public/account-dialog.html',
    ])
      expect(existsSync(join(cwd, path))).toBe(true);
    const second = await plinth(['ui', 'add', 'sign-in-form'], { cwd });
    expect(second.status).toBe(0);
    expect(second.stdout).not.toMatch(/Created|Replaced/);
  });

  test('keeps a changed file, shows the difference, and replaces the file only with --overwrite', async () => {
    const cwd = makeProject(inReact);
    await plinth(['ui', 'add', 'sign-in-button'], { cwd });
    const path = join(cwd, 'src/components/auth/sign-in-button.tsx');
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, `${original}// Mine\n`);
    const kept = await plinth(['ui', 'add', 'sign-in-button'], { cwd });
    expect(kept).toMatchObject({ status: 1, stderr: expect.stringContaining('--diff') });
    expect(readFileSync(path, 'utf8')).toContain('// Mine');
    const diff = await plinth(['ui', 'add', 'sign-in-button', '--diff'], { cwd });
    expect(diff.stdout).toContain('- // Mine');
    expect(readFileSync(path, 'utf8')).toContain('// Mine');
    const replaced = await plinth(['ui', 'add', 'sign-in-button', '--overwrite'], { cwd });
    expect(replaced.status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(original);
  });

  test.each([
    [['ui', 'add', 'sign-in'], 'Unknown component sign-in'],
    [['ui', 'add', 'org-switcher', '--dir', '../other'], '--dir'],
    [['ui', 'add', 'org-switcher', '--framework', 'vue'], '--framework: use react or elements'],
  ])('rejects %j', async (args, message) => {
    const cwd = makeProject(inReact);
    const { status, stderr } = await plinth(args, { cwd });
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(cwd, 'src/components'))).toBe(false);
  });
});

test.each([
  [inReact, { framework: 'react', language: 'ts', folder: 'src/components', publicFolder: 'public' }],
  [
    { 'package.json': '{"dependencies":{"react":"18"}}', 'app/page.jsx': '' },
    { framework: 'react', language: 'js', folder: 'components', publicFolder: 'public' },
  ],
  [
    { 'package.json': '{"devDependencies":{"@sveltejs/kit":"2"}}', 'tsconfig.json': '{}' },
    { framework: 'elements', language: 'ts', folder: 'src/lib', publicFolder: 'static' },
  ],
  [
    { 'package.json': 'not JSON' },
    { framework: 'elements', language: 'js', folder: 'components', publicFolder: 'public' },
  ],
])('the target is found in the app’s files (case %$)', (files, target) => {
  expect(targetOf(makeProject(files))).toEqual(target);
});
