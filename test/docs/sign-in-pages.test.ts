/**
 * Tests the pages about sign-in. Their files are those of the app templates, which scripts/check-templates.ts builds with
 * the real packages. The types of the other code are checked here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { makeProject } from '../config/project-folder.ts';
import { codeBlocks, joined, readPage, root } from './pages.ts';
import { typeErrors } from './typecheck.ts';

const pages = [
  { page: 'sign-in-react', template: 'react', own: ['src/account.ts'] },
  { page: 'sign-in-sveltekit', template: 'sveltekit', own: ['src/account.ts'] },
  { page: 'sign-in-expo', template: 'expo', own: ['lib/account.ts'] },
];

const templateFile = (template: string, path: string): string | undefined => {
  const file = `${root}templates/${template}/${path}`;
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

/** Declares the parts of packages that the pages use and that aren't dependencies of Plinth. */
const declarations = `
declare module 'expo-linking' {
  export function createURL(path: string): string;
}
declare module 'expo-web-browser' {
  export function openAuthSessionAsync(
    url: string,
    redirectUrl: string,
  ): Promise<{ type: 'success'; url: string } | { type: 'cancel' | 'dismiss' }>;
}
`;
/** Takes the place of the template's client, which reads variables of the framework. */
const client = `import type { SupabaseClient } from '@supabase/supabase-js';
export declare const supabase: SupabaseClient;
`;

test.each(pages)('the files on the page $page are those of the template', ({ page, template, own }) => {
  const files = codeBlocks(readPage(page)).filter(({ path }) => path !== undefined);
  expect(files.length).toBeGreaterThan(3);
  for (const { path = '', code } of files)
    if (!own.includes(path)) expect([path, code]).toEqual([path, templateFile(template, path)]);
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(own));
});

test.each(pages)('the other code on the page $page has no type errors', ({ page, own }) => {
  const blocks = codeBlocks(readPage(page));
  const folder = own[0]?.split('/')[0] ?? '';
  const files = blocks.flatMap(({ path = '', code }) => (own.includes(path) ? [[path, code] as const] : []));
  expect(
    typeErrors({
      'modules.d.ts': declarations,
      [`${folder}/supabase.ts`]: client,
      ...Object.fromEntries(files),
      // The page's other statements, in a module beside the client.
      [`${folder}/other.ts`]: joined(blocks, 'ts').replaceAll('../lib/', './'),
    }),
  ).toBe('');
});

test.each(['sign-in-react', 'sign-in-sveltekit', 'sign-in-expo', 'sign-in-flutter'])(
  'the settings on the page %s are valid',
  (page) => {
    const projectDir = makeProject({ 'supabase/config.toml': joined(codeBlocks(readPage(page)), 'toml') });
    const env = { GITHUB_CLIENT_ID: 'id', GITHUB_SECRET: 'secret' };
    const { config, warnings } = loadConfig({ projectDir, env });
    expect(warnings).toEqual([]);
    expect(config.auth.external.github?.enabled).toBe(true);
  },
);

test('the redirect URLs of mobile apps are allowed with the settings that the pages describe', async () => {
  const backend = await createTestBackend({
    config: { auth: { additional_redirect_urls: ['myapp://**', 'com.example.app://callback'] } },
  });
  onTestFinished(() => backend.stop());
  const isAllowed = async (redirectTo: string): Promise<boolean> => {
    const query = new URLSearchParams({
      redirect_to: redirectTo,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 's256',
    });
    const response = await backend.fetch(`/account/sign-in?${query}`);
    return !(await response.text()).includes('additional_redirect_urls');
  };
  expect(await isAllowed('myapp://sign-in')).toBe(true);
  expect(await isAllowed('com.example.app://callback')).toBe(true);
  expect(await isAllowed('otherapp://sign-in')).toBe(false);
});
