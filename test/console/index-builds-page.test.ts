/** Tests the progress of index builds: the API, and the structure page in Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

// The timeout is long, because each test opens several pages and the machine may be busy.
/** A build on `vast` stops in the middle of the table while another session holds this lock. */
const lock = 7411;
const schema = `
  create table public.vast (id int primary key, note text);
  insert into public.vast select i, 'row ' || i from generate_series(1, 20000) i;
  create table public.calm (id int primary key);
  create function public.held(id int) returns int language plpgsql immutable as $$ begin
    -- Waiting for the lock itself would exceed the Console's lock timeout.
    while id = 10000 and not pg_try_advisory_xact_lock_shared(${lock}) loop perform pg_sleep(0.02); end loop;
    return id;
  end $$;`;

let backend: Backend;
let browser: Browser;
let owner: Operator;
let looker: Operator;

beforeAll(async () => {
  backend = await startBackend();
  await pool().exec(schema);
  await backend.operators.createOperator('looker', 'read-only');
  [owner, looker] = [await operator(backend), await operator(backend, 'looker')];
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});
beforeEach(() => pool().exec('drop index if exists public.slow'));

const pool = () => backend.database.pool('postgres');

/** Takes the lock. Returns a function that releases it, which is also called when the test ends. */
async function hold(): Promise<() => void> {
  const holder = await pool().connect();
  await holder.query(sql`select pg_advisory_lock(${lock})`);
  let isHeld = true;
  const release = (): void => {
    if (isHeld) holder.destroy();
    isHeld = false;
  };
  onTestFinished(release);
  return release;
}

/** Resolves once a build waits in the middle of the table. */
const untilWaiting = () =>
  expect
    .poll(() => pool().query(sql`select from pg_stat_activity where wait_event = 'PgSleep'`))
    .toHaveLength(1);

/** Starts a statement in another session, and resolves once it waits in the middle of the table. */
async function startBuild(
  statement: string,
): Promise<{ readonly pid: number; finish(): Promise<void>; cancel(): Promise<void> }> {
  const release = await hold();
  const builder = await pool().connect();
  onTestFinished(() => builder.destroy());
  const built = builder.exec(statement);
  built.catch(() => undefined);
  await untilWaiting();
  return {
    pid: builder.processId,
    async finish() {
      release();
      await built;
    },
    async cancel() {
      await builder.cancel();
      await expect(built).rejects.toThrow('canceling statement');
      release();
    },
  };
}

const builds = async (who: Operator, table = 'vast') =>
  (await who.call('GET', `/tables/public/${table}/builds`)).body.builds;

test('the API returns the progress of builds that other sessions have started', async () => {
  expect(await builds(owner)).toEqual([]);
  const build = await startBuild(`create index slow on public.vast (held(id)) where note <> 'secret'`);
  expect(await builds(owner)).toEqual([
    {
      pid: build.pid,
      name: null,
      command: 'CREATE INDEX',
      phase: 'building index: scanning table',
      share: expect.any(Number),
      elapsedMs: expect.any(Number),
      statement: "create index slow on public.vast (held(id)) where note <> 'secret'",
    },
  ]);
  const [{ share }] = await builds(owner);
  expect(share).toBeGreaterThan(0.3);
  expect(share).toBeLessThan(0.7);
  expect(await builds(owner, 'calm')).toEqual([]);
  // The statement can contain values that the role may not read.
  expect((await builds(looker))[0].statement).toBe('create index …');
  await build.finish();
  expect(await builds(owner)).toEqual([]);
});

test('a concurrent build has a name, and leaves an invalid index if it is canceled', async () => {
  const build = await startBuild('create index concurrently slow on public.vast (held(id))');
  expect(await builds(owner)).toMatchObject([{ name: 'slow', command: 'CREATE INDEX CONCURRENTLY' }]);
  await build.cancel();
  const { indexes } = (await owner.call('GET', '/tables/public/vast/structure')).body;
  expect(indexes).toMatchObject([{ name: 'slow', valid: false }, { name: 'vast_pkey' }]);
});

test('a table whose index is being rebuilt can be read', async () => {
  await pool().exec('create index slow on public.vast (held(id))');
  const build = await startBuild('reindex index public.slow');
  expect(await builds(owner)).toMatchObject([{ name: 'slow', command: 'REINDEX' }]);
  const { status, body } = await owner.call('GET', '/tables/public/vast/structure');
  expect(status).toBe(200);
  const sizes = body.indexes.map(({ size_bytes }: { size_bytes: number }) => size_bytes);
  expect(sizes.every((size: number) => size > 0)).toBe(true);
  expect(body.size_bytes).toBeGreaterThan(sizes[0] + sizes[1]);
  await build.finish();
  const [total] = await pool().query<{ bytes: number }>(
    sql`select pg_total_relation_size('public.vast')::float8 as bytes`,
  );
  const after = (await owner.call('GET', '/tables/public/vast/structure')).body;
  expect(after.size_bytes).toBe(total?.bytes);
});

async function openStructure(options: Parameters<typeof openContext>[1] = {}) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console/tables/public/vast/structure`);
  await page.getByText('vast_pkey').first().waitFor();
  return { page, complaints, close: () => context.close() };
}

const progress = (page: Page, name: string) => page.getByRole('progressbar', { name: `Building ${name}` });

test('the structure page shows a build that started elsewhere, and the index when it is finished', async () => {
  const { page, complaints, close } = await openStructure();
  const build = await startBuild('create index slow on public.vast (held(id))');
  await progress(page, 'a new index').waitFor();
  await page.getByText(/^building index: scanning table, [3-6]\d%$/).waitFor();
  await page.getByText('create index slow on public.vast (held(id))').waitFor();
  await page.getByText(`in session ${build.pid}`).waitFor();
  expect(await page.getByText('slow', { exact: true }).count()).toBe(0);
  await build.finish();
  await page.getByText('slow', { exact: true }).waitFor();
  await progress(page, 'a new index').waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('an index that is being built concurrently isn’t marked as invalid until the build fails', async () => {
  const { page, complaints, close } = await openStructure();
  const build = await startBuild('create index concurrently slow on public.vast (held(id))');
  await progress(page, 'slow').waitFor();
  const index = page.getByRole('listitem').filter({ hasText: 'CREATE INDEX slow' });
  await index.waitFor();
  expect(await index.getByText('not valid').count()).toBe(0);
  await build.cancel();
  await index.getByText('not valid').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('the Console shows the progress of a build that it runs', async () => {
  const { page, complaints, close } = await openStructure();
  const release = await hold();
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add index' }).press('Enter');
  // The methods of extensions are offered only if the extension exists.
  expect(await dialog.getByLabel('Method').locator('option').allTextContents()).toEqual([
    ...['btree', 'hash', 'gin', 'gist', 'brin', 'spgist'],
  ]);
  await dialog.getByLabel('Columns or expressions').fill('(held(id))');
  await dialog.getByLabel('Name (optional)').fill('slow');
  await dialog.getByRole('button', { name: 'Review SQL' }).press('Enter');
  await dialog.getByRole('button', { name: 'Run' }).press('Enter');
  await progress(page, 'a new index').first().waitFor();
  expect(await dialog.getByRole('progressbar').count()).toBe(1);
  release();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('slow', { exact: true }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)(
  'the progress is accessible and fits at $width px, $colorScheme first',
  pageStates,
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await openStructure({ viewport, colorScheme });
    const build = await startBuild('create index slow on public.vast (held(id))');
    await progress(page, 'a new index').waitFor();
    await expectSound(page, 'an index that is being built');
    await build.finish();
    expect(complaints.list).toEqual([]);
    await close();
  },
);
