/**
 * Takes the pictures in docs/gallery from a running backend of the example project, in a real browser.
 *
 *   npm run build && node scripts/gallery.ts [NAME …]
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from '@supabase/supabase-js';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Backend } from '../src/main.ts';
import { createTestBackend, stopTestCluster } from '../src/testing.ts';
import { launchBrowser } from '../test/web/browser.ts';

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

/** A board as it looks after a few days of use. */
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
  await page.goto(`${backend.url}/console/tables/public/notes`);
  // A cell being edited, and nothing saved.
  await page.getByText('Lunch outside if it stays dry').dblclick();
  await page.keyboard.press('End');
};

/** Of the query that is open, nothing stays: drafts belong to this browser alone. */
const query = async (page: Page, backend: Backend): Promise<void> => {
  await signIn(page, backend);
  await page.goto(`${backend.url}/console/sql`);
  await page.getByRole('textbox', { name: 'SQL to run' }).focus();
  await page.keyboard.insertText(
    'select u.email, count(*) as notes, count(*) filter (where n.done) as done\nfrom public.notes n join auth.users u on u.id = n.author\ngroup by u.email order by notes desc;',
  );
  await page.keyboard.press('Control+Enter');
  await page.getByText('Committed').waitFor();
};

const pictures: readonly Picture[] = [
  { name: 'console-table', open: table },
  { name: 'console-table-dark', open: table, context: { colorScheme: 'dark' } },
  { name: 'console-sql', open: query },
  { name: 'console-sql-dark', open: query, context: { colorScheme: 'dark' } },
  {
    name: 'account-sign-in',
    async open(page, backend) {
      await page.goto(`${backend.url}/account/sign-in`);
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    },
  },
  {
    name: 'account-sign-in-dark',
    context: { colorScheme: 'dark' },
    async open(page, backend) {
      await page.goto(`${backend.url}/account/sign-in`);
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    },
  },
];

const wanted = process.argv.slice(2);
mkdirSync(gallery, { recursive: true });
const backend = await createTestBackend({ projectDir: `${root}examples/live-board` });
const browser = await launchBrowser();
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
