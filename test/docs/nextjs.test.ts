/** Tests the code in docs/nextjs.md: its types, its settings, and the sign-in that it describes. */
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import { makeProject } from '../config/project-folder.ts';
import { codeBlocks, joined, readPage } from './pages.ts';
import { typeErrors } from './typecheck.ts';

const blocks = codeBlocks(readPage('nextjs'));

/** The app's files that the page contains, by path. */
const files = Object.fromEntries(
  blocks.flatMap(({ path, code }) => (path === undefined ? [] : [[path, code] as const])),
);

/**
 * Declares the parts of Next.js and @supabase/ssr that the page uses, because these packages aren't dependencies of
 * Plinth. scripts/check-templates.ts checks the page with the real packages.
 */
const declarations = `
declare module 'next/headers' {
  export function cookies(): Promise<import('next/server').Cookies>;
}
declare module 'next/cache' {
  export function revalidatePath(path: string): void;
}
declare module 'next/navigation' {
  export function redirect(url: string): never;
}
declare module 'next/server' {
  export function connection(): Promise<void>;
  export interface Cookies {
    getAll(): { name: string; value: string }[];
    set(name: string, value: string, options?: object): unknown;
  }
  export interface NextRequest {
    readonly nextUrl: URL;
    readonly cookies: Cookies;
  }
  export class NextResponse {
    static next(options: { request: NextRequest }): NextResponse;
    static redirect(url: URL): NextResponse;
    static json(body: unknown, init?: ResponseInit): NextResponse;
    readonly cookies: Cookies;
  }
}
declare module '@supabase/ssr' {
  import type { SupabaseClient } from '@supabase/supabase-js';
  export function createServerClient(
    url: string,
    key: string,
    options: {
      cookies: {
        getAll(): { name: string; value: string }[];
        setAll(changed: { name: string; value: string; options: object }[]): void;
      };
    },
  ): SupabaseClient;
}
`;

test('the page contains the whole app', () => {
  expect(Object.keys(files)).toEqual([
    'lib/supabase.ts',
    'proxy.ts',
    'app/auth/actions.ts',
    'app/auth/callback/route.ts',
    'app/page.tsx',
    'app/notes/page.tsx',
    'app/notes/actions.ts',
    'app/api/notes/route.ts',
  ]);
});

test('components that read cookies are inside Suspense, as new apps require', () => {
  const pages = Object.entries(files).filter(([path]) => path.endsWith('page.tsx'));
  expect(pages.length).toBe(2);
  for (const [, text] of pages) {
    const [, rendered = '', inside = ''] =
      /export default function Page\(\) \{\n([\s\S]*?)\n\}\n([\s\S]*)/.exec(text) ?? [];
    expect(rendered).toContain('<Suspense');
    expect(rendered).not.toContain('createClient');
    expect(inside).toContain('createClient');
  }
  // If a session exists, the client reads the current time, which Next.js allows only during a request.
  expect(files['lib/supabase.ts']).toMatch(/await connection\(\);\n.*cookies\(\)/);
});

test('the page’s migration lets users read and add only their own notes', async () => {
  const projectDir = makeProject({ 'supabase/migrations/20260101000000_notes.sql': joined(blocks, 'sql') });
  const backend = await createTestBackend({ projectDir });
  onTestFinished(() => backend.stop());
  const signUp = async (email: string) => {
    const client = createClient(backend.url, backend.keys.publishableKey);
    const { error } = await client.auth.signUp({ email, password: 'correct horse 9' });
    expect(error).toBeNull();
    return client;
  };
  const [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
  expect((await ada.from('notes').insert({ text: 'mine' })).error).toBeNull();
  expect((await ada.from('notes').select('id, text')).data).toEqual([{ id: 1, text: 'mine' }]);
  expect((await bob.from('notes').select('id, text')).data).toEqual([]);
});

test('the page’s code has no type errors', () => {
  expect(typeErrors({ ...files, 'modules.d.ts': declarations })).toBe('');
});

test('the page’s settings allow the sign-in that it describes, but no other address', async () => {
  const toml = blocks.find(({ language }) => language === 'toml');
  const projectDir = makeProject({ 'supabase/config.toml': toml?.code ?? '' });
  const backend = await createTestBackend({ config: loadConfig({ projectDir }).config });
  onTestFinished(() => backend.stop());
  const stored = new Map<string, string>();
  const client = createClient(backend.url, backend.keys.publishableKey, {
    auth: {
      flowType: 'pkce',
      persistSession: true,
      autoRefreshToken: false,
      storage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => void stored.set(key, value),
        removeItem: (key) => void stored.delete(key),
      },
    },
  });
  const open = async (redirectTo: string): Promise<URL> => {
    const { data, error } = await client.auth.signInWithOAuth({
      provider: 'custom:account',
      options: { redirectTo, skipBrowserRedirect: true },
    });
    expect(error).toBeNull();
    const response = await fetch(data.url ?? '', { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '', backend.url);
  };
  const allowed = await open('http://localhost:3000/auth/callback');
  expect(allowed.pathname).toBe('/account/sign-in');
  expect(allowed.searchParams.get('redirect_to')).toBe('http://localhost:3000/auth/callback');
  expect((await fetch(allowed)).status).toBe(200);
  const other = await open('https://evil.example/auth/callback');
  const setting = 'additional_redirect_urls';
  expect(await (await fetch(other)).text()).toContain(setting);
  expect(await (await fetch(allowed)).text()).not.toContain(setting);

  const signedOut = await fetch(
    `${backend.url}/account/signed-out?redirect_to=${encodeURIComponent('http://localhost:3000')}`,
  );
  expect(signedOut.status).toBe(200);
  expect(await signedOut.text()).toContain('localhost:3000');
});
