/**
 * Takes the screenshots in docs/gallery from a running backend of the example project, in a real browser.
 *
 *   npm run build && node scripts/gallery.ts [NAME …]
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from '@supabase/supabase-js';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Backend } from '../src/entry/main.ts';
import { createTestBackend, stopTestCluster } from '../src/entry/testing.ts';
import { launchOwnBrowser } from '../test/web/browser.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const gallery = `${root}docs/gallery/`;

const people = ['ada@example.com', 'grace@example.com', 'edsger@example.com'];
const notes = [
  'Read the plan for the spring release',
  'Order labels for the seed boxes',
  'Call the printer about the posters',
  'Photos of the new greenhouse are up',
  'Who brings the projector on Friday?',
  'Water the tomatoes before the weekend',
  'Draft of the newsletter, please comment',
  'Found a red umbrella in the hall',
  'Seed swap on Sunday, tables are booked',
  'The pump in bed four is loud again',
  'New keys for the shed are with Grace',
  'Lunch outside if it stays dry',
  'Please count the flower pots',
  'The bees arrived, keep the door shut',
];

/** Adds notes, so that the board looks as if users had worked with it for several days. */
async function fill(backend: Backend): Promise<void> {
  const clients = await Promise.all(
    people.map(async (email) => {
      const client = createClient(backend.url, backend.keys.publishableKey, {
        auth: { persistSession: false },
      });
      const { error } = await client.auth.signUp({ email, password: 'correct horse battery' });
      if (error) throw error;
      return client;
    }),
  );
  for (const [index, body] of notes.entries()) {
    const client = clients[index % clients.length];
    const { error } = (await client?.from('notes').insert({ body, done: index % 3 === 0 })) ?? {};
    if (error) throw error;
  }
}

interface Picture {
  readonly name: string;
  readonly open: (page: Page, backend: Backend) => Promise<void>;
  readonly context?: BrowserContextOptions;
}

const signIn = async (page: Page, backend: Backend): Promise<void> => {
  await page.goto(await backend.consoleLink());
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
};

const table = async (page: Page, backend: Backend): Promise<void> => {
  await signIn(page, backend);
  await page.goto(`${backend.console.url}/console/tables/public/notes`);
  // Opens a cell for editing, for the screenshot. The change isn't saved.
  await page.getByText('Lunch outside if it stays dry').dblclick();
  await page.keyboard.press('End');
};

/** Opens the page that explains an attempt to change another user's note. */
const why = async (page: Page, backend: Backend): Promise<void> => {
  await signIn(page, backend);
  const found = await page.request.get(`${backend.url}/auth/v1/admin/users`, {
    headers: { apikey: backend.keys.secretKey },
  });
  const { users } = (await found.json()) as { users: { id: string; email: string }[] };
  const otherUser = users.find(({ email }) => email === people[1])?.id;
  const question = {
    schema: 'public',
    table: 'notes',
    op: 'update',
    key: '{"id":"1"}',
    values: '{"done":"true"}',
    as: `user:${otherUser}`,
  };
  await page.goto(`${backend.console.url}/console/why?${new URLSearchParams(question)}`);
  await page.getByText('authors change').first().waitFor();
};

const signInPage = async (page: Page, backend: Backend): Promise<void> => {
  await page.goto(`${backend.url}/account/sign-in`);
  await page.getByRole('button', { name: 'Continue', exact: true }).waitFor();
};

const states: readonly Picture[] = [
  { name: 'console-table', open: table },
  { name: 'console-why', open: why },
  { name: 'account-sign-in', open: signInPage },
];
const pictures = states.flatMap((picture): Picture[] => [
  picture,
  { ...picture, name: `${picture.name}-dark`, context: { colorScheme: 'dark' } },
]);

const wanted = process.argv.slice(2);
mkdirSync(gallery, { recursive: true });
const backend = await createTestBackend({ projectDir: `${root}examples/live-board` });
const browser = await launchOwnBrowser();
try {
  await fill(backend);
  for (const { name, open, context } of pictures) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const page = await browser.newPage({ viewport: { width: 1360, height: 740 }, ...context });
    await open(page, backend);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: `${gallery}${name}.png`, animations: 'disabled' });
    await page.close();
    console.log(`docs/gallery/${name}.png`);
  }
} finally {
  await browser.close();
  await backend.stop();
  await stopTestCluster();
}
