/** Tests in Chromium that the GraphQL page sends requests as the chosen persona and shows what is missing. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { testEach, withStates } from '../web/states.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

testEach([
  [1440, 'light'],
  [1440, 'dark'],
  [390, 'light'],
  [390, 'dark'],
])(
  '%i px wide, %s: a query runs as the persona, and the page is accessible and fits',
  async (width, colorScheme) => {
    const postgres = backend.database.pool('postgres');
    await postgres.exec('drop extension if exists pg_graphql; comment on schema public is null');
    const { page, complaints, go, close } = await signedIn(browser, backend, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    await go('/graphql');
    await page.getByText('GraphQL is off').waitFor();
    await expectSound(page, 'off');

    await postgres.exec('create extension pg_graphql');
    await page.reload();
    await page.getByText('Introspection is off').waitFor();
    await expectSound(page, 'no-introspection');

    await postgres.exec(`comment on schema public is '@graphql({"introspection": true})'`);
    await go(`/graphql?as=anon`);
    await page.getByText('Introspection is off').waitFor({ state: 'detached' });
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query mine { tasksCollection(first: 1) { edges { node { title } } } }');
    await page.getByRole('button', { name: /Execute query/ }).click();
    await page.locator('.graphiql-response').getByText('tasksCollection').waitFor();
    await page.locator('.graphiql-response').getByText('Task 1').waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  },
  withStates,
);

test('the routes send requests as a persona, and queries can’t change anything', async () => {
  const postgres = backend.database.pool('postgres');
  await postgres.exec('create extension if not exists pg_graphql');
  const owner = await operator(backend);
  const send = async (route: string, query: string, as?: string) => {
    const { body } = await owner.call('POST', `/graphql/${route}`, {
      query,
      ...(as === undefined ? {} : { as }),
    });
    return JSON.parse(body.body) as { data: unknown; errors?: { message: string }[] };
  };
  expect(await send('query', '{ __typename }', 'anon')).toEqual({ data: { __typename: 'Query' } });
  const change = 'mutation { deleteFromtasksCollection(filter: {id: {eq: 1}}, atMost: 1) { affectedCount } }';
  const count = async () =>
    (await postgres.query<{ n: number }>(sql`select count(*)::int as n from public.tasks`))[0]?.n;
  const before = await count();
  expect((await send('query', change)).errors?.[0]?.message).toContain('read-only transaction');
  expect(await count()).toBe(before);
  expect(await send('mutation', change)).toEqual({
    data: { deleteFromtasksCollection: { affectedCount: 1 } },
  });
  expect(await count()).toBe((before ?? 0) - 1);
});
