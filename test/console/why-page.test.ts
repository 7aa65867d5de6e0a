/** Tests the policies page and the access check with the keyboard, in Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { axeViolations, launchBrowser, openContext } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
let ada: string;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.operators.createOperator('looker', 'read-only');
  const owner = await operator(backend);
  const made = await owner.call('POST', '/users', {
    email: 'ada@example.com',
    password: 'a-Good-password-1',
    confirmed: true,
  });
  ada = made.body.id;
  await backend.database.pool('postgres').exec(`
    create table public.notes (id int primary key, owner uuid default auth.uid(), body text, public boolean not null default false);
    alter table public.notes enable row level security;
    insert into public.notes values (1, '${ada}', '<img src=x onerror=alert(1)>', false), (2, gen_random_uuid(), 'another''s', false);
    create policy "Read <b>own</b> or public" on public.notes for select using (owner = auth.uid() or public);
    create policy "Write own" on public.notes for insert to authenticated with check (owner = (select auth.uid()));
    create view public.leaky_notes as select id, body from public.notes;
    create materialized view public.note_copies as select id from public.notes;
    create table public.orders (id int primary key, owner uuid, status text not null, note text);
    alter table public.orders enable row level security;
    insert into public.orders values (616, '${ada}', 'shipped');
    create function public.is_staff() returns boolean language sql stable as
      $$ select coalesce(auth.jwt() -> 'app_metadata' ->> 'staff', 'false')::boolean $$;
    create policy "A Staff" on public.orders for update using (public.is_staff());
    create policy "Cancel own" on public.orders for update to authenticated
      using (owner = auth.uid() and status = 'pending') with check (owner = auth.uid() and status in ('pending', 'paid'));
    create policy "Read own" on public.orders for select using (owner = auth.uid());
    create policy "Insert own" on public.orders for insert with check (owner = auth.uid());
    create table public.bare (id int primary key);
    create table public.members (org int, who uuid);
    insert into public.members values (6, '${ada}');
    create function public.is_member(org int) returns boolean language sql stable security definer set search_path = '' as
      $$ select exists (select 1 from public.members m where m.org = is_member.org and m.who = auth.uid()) $$;
    create table public.orgs (id int primary key);
    insert into public.orgs values (7);
    alter table public.orgs enable row level security;
    create table public.org_users (org_id int references public.orgs, user_id uuid references auth.users, primary key (org_id, user_id));
    create policy member on public.orgs for select using (public.is_member(id));`);
  // REST also exposes this schema, but the operator hasn't selected it.
  await backend.database.pool('supabase_admin').exec(`
    create view graphql_public.shelf with (security_invoker) as select id, body from public.notes;
    grant select on graphql_public.shelf to anon;
    notify pgrst, 'reload schema'`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

type Options = Parameters<typeof openContext>[1];

async function opened(path: string, options: Options = {}, name?: string) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend, name);
  const page = await context.newPage();
  await go(page, path);
  return { page, complaints, close: () => context.close() };
}

const go = (page: Page, path: string) => page.goto(`${backend.console.url}/console${path}`);
const address = (params: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

const secured = async (table: string): Promise<unknown> =>
  (
    await backend.database.pool('postgres').query<{ rls: boolean; policies: string[] }>(sql`
      select relrowsecurity as rls, (select array_agg(polname::text) from pg_policy p where p.polrelid = c.oid) as policies
      from pg_class c where c.oid = ${`public.${table}`}::regclass`)
  )[0];

const migrations = async (): Promise<string[]> =>
  (
    await backend.database
      .pool('supabase_admin')
      .query<{ name: string }>(sql`select name from supabase_migrations.schema_migrations order by name`)
  ).map(({ name }) => name);

test(
  'row-level security can be enabled, and a policy can be created from a template, tried as a persona, and dropped',
  withStates,
  async () => {
    const { page, complaints, close } = await opened('/policies');
    const bare = page.getByRole('region', { name: 'bare', exact: true });
    await bare.getByRole('button', { name: 'Turn on' }).press('Enter');
    const asked = page.getByRole('dialog', { name: 'Turn on row-level security for bare?' });
    await asked.getByText('alter table "public"."bare" enable row level security').waitFor();
    await asked.getByRole('checkbox', { name: 'Save as a migration file' }).press('Space');
    await asked.getByRole('textbox', { name: 'File name' }).fill('secure_bare');
    await asked.getByRole('button', { name: 'Turn on' }).press('Enter');
    await bare.getByText('Row-level security is on').waitFor();
    await bare.getByRole('button', { name: 'New policy on bare' }).press('Enter');
    const panel = page.getByRole('dialog', { name: 'New policy on bare' });
    await panel.getByLabel('Template').focus();
    await panel.getByLabel('Template').selectOption('Anyone can read');
    await panel.getByText('create policy "Anyone can read" on "public"."bare"').waitFor();
    await panel.getByRole('button', { name: 'Save policy' }).press('Enter');
    await panel.waitFor({ state: 'detached' });
    expect(await secured('bare')).toEqual({ rls: true, policies: ['Anyone can read'] });
    expect(await migrations()).toEqual(['create_policy_bare_anyone_can_read', 'secure_bare']);

    await bare.getByRole('button', { name: 'Anyone can read' }).press('Enter');
    const edit = page.getByRole('dialog', { name: 'Policy on bare' });
    const using = edit.getByRole('textbox', { name: /^USING/ });
    await using.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('nonsense');
    await edit.getByRole('button', { name: 'Save policy' }).press('Enter');
    await edit.getByRole('alert').getByText('column "nonsense" does not exist').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').last().getByRole('button', { name: 'Discard' }).press('Enter');
    await edit.waitFor({ state: 'detached' });
    await bare.getByRole('button', { name: 'Anyone can read' }).press('Enter');
    await edit.getByRole('button', { name: 'Turn off policy' }).press('Enter');
    const off = page.getByRole('dialog', { name: 'Turn off policy “Anyone can read”?' });
    await off.getByText('drop policy "Anyone can read" on "public"."bare"').waitFor();
    await off.getByRole('button', { name: 'Turn off policy' }).press('Enter');
    await bare.getByText('turned off', { exact: true }).waitFor();
    await expectSound(page, 'a policy that is turned off');
    expect(await secured('bare')).toEqual({ rls: true, policies: null });
    await bare.getByRole('button', { name: 'Turn on Anyone can read' }).press('Enter');
    await page.getByRole('dialog').getByText('create policy "Anyone can read"').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).press('Enter');
    await bare.getByText('turned off', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await secured('bare')).toEqual({ rls: true, policies: ['Anyone can read'] });
    expect(await migrations()).toEqual([
      'create_policy_bare_anyone_can_read',
      'secure_bare',
      'turn_off_policy_bare_anyone_can_read',
      'turn_on_policy_bare_anyone_can_read',
    ]);

    await bare.getByRole('button', { name: 'Anyone can read' }).press('Enter');
    await edit.getByRole('checkbox', { name: 'Save as a migration file' }).press('Space');
    await edit.getByRole('button', { name: 'Drop' }).press('Enter');
    const drop = page.getByRole('dialog', { name: 'Drop policy' });
    await drop.getByText('drop policy "Anyone can read" on "public"."bare"').waitFor();
    await drop.getByRole('button', { name: 'Drop' }).press('Enter');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await secured('bare')).toEqual({ rls: true, policies: null });
    await bare.getByRole('button', { name: 'Turn off' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).press('Enter');
    await bare.getByText('Row-level security is off').waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('a condition is completed with the table’s columns, and Escape closes one layer at a time', async () => {
  const { page, complaints, close } = await opened('/policies?only=public.orders');
  await page.getByRole('button', { name: 'Cancel own' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Policy on orders' });
  const using = panel.getByRole('textbox', { name: /^USING/ });
  await using.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' and sta');
  const completions = page.getByRole('listbox');
  const status = completions.getByRole('option', { name: /^status/ });
  await status.waitFor();
  // The list isn't cut off at the edge of the editor, which is only a few lines high.
  const isVisible = await status.evaluate((option) => {
    const { left, top, width, height } = option.getBoundingClientRect();
    return option.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  expect(isVisible).toBe(true);
  await page.keyboard.press('Escape');
  await completions.waitFor({ state: 'detached' });
  await panel.waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
  // The search in the editor is a layer too.
  await page.keyboard.press('Control+f');
  const search = panel.getByRole('textbox', { name: 'Find' });
  await search.waitFor();
  await page.keyboard.press('Escape');
  await search.waitFor({ state: 'detached' });
  expect(await page.getByRole('dialog').count()).toBe(1);
  // The palette and the question about unsaved input are layers above the panel.
  const question = page.getByRole('dialog', { name: /Discard/ });
  await page.keyboard.press('Escape');
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await panel.waitFor();
  await using.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('tus');
  await expect.poll(() => using.textContent()).toContain('status');
  await page.keyboard.press('Escape');
  if ((await question.count()) === 0) await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).press('Enter');
  await panel.waitFor({ state: 'detached' });

  // In a query, the columns of the tables in FROM are offered.
  await go(page, '/sql');
  const editor = page.getByRole('textbox', { name: 'SQL to run' });
  await editor.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('select * from orders where no');
  await completions.getByRole('option', { name: 'noteorders' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test(
  'a policy for own rows can be created with a few keys, for the column that references the users',
  withStates,
  async () => {
    await backend.database.pool('postgres').exec(`
    create table public.diaries (id uuid primary key, device uuid, user_id uuid, writer uuid references auth.users);
    alter table public.diaries enable row level security`);
    const { page, complaints, close } = await opened('/policies?only=public.diaries');
    const panel = page.getByRole('dialog', { name: 'New policy on diaries' });
    const template = panel.getByLabel('Template').and(page.locator(':focus'));
    const ownRows = async (name: string, condition: string): Promise<void> => {
      await page.getByRole('button', { name: 'New policy on diaries' }).press('Enter');
      await template.selectOption(name);
      await panel.getByText(condition).last().waitFor();
    };
    await ownRows('Users can read their own rows', 'using ((select auth.uid()) = writer)');
    await expect
      .poll(() => panel.getByLabel('Column with the user’s ID').locator('option').allTextContents())
      .toEqual(['writer', 'user_id', 'device', 'id']);
    await expectSound(page, 'the template for own rows');
    await template.press('Enter');
    await panel.waitFor({ state: 'detached' });
    await ownRows('Users can update their own rows', 'with check ((select auth.uid()) = writer)');
    await template.press('Enter');
    await panel.waitFor({ state: 'detached' });
    await ownRows('Users can delete their own rows', 'for delete');
    await template.press('Enter');
    await panel.waitFor({ state: 'detached' });
    expect(await secured('diaries')).toEqual({
      rls: true,
      policies: [
        'Users can read their own rows',
        'Users can update their own rows',
        'Users can delete their own rows',
      ],
    });
    await backend.database.pool('postgres').exec('drop table public.diaries');
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('the keyboard moves through the parts of a question', async () => {
  const { page, complaints, close } = await opened('/');
  await page.getByRole('link', { name: 'Access check', exact: true }).press('Enter');
  const focused = page.locator(':focus');
  await page.getByRole('searchbox', { name: 'Search by email, phone or ID' }).and(focused).waitFor();
  await page.keyboard.insertText('ada@');
  await page.keyboard.press('Enter');
  const table = page.getByLabel('Table or view').and(focused);
  const option = await table.locator('option', { hasText: /^notes$/ }).getAttribute('value');
  // The test presses Enter before the page has rendered the chosen table.
  await table.evaluate((select: HTMLSelectElement, value) => {
    select.value = value ?? '';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    select.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  }, option);
  const id = page.getByLabel('Value of id').and(focused);
  await id.fill('2');
  await id.press('Enter');
  await page.getByText('ada@example.com can’t see a matching row to select').waitFor();
  // The form keeps focus for the next row.
  await id.fill('1');
  await id.press('Enter');
  await page.getByText('ada@example.com can select this row').waitFor();
  await page.goBack();
  await expect.poll(() => page.getByLabel('Value of id').inputValue()).toBe('2');
  // The page still has the user selected, so only the table has to be selected.
  await page.getByRole('link', { name: 'Users', exact: true }).press('Enter');
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Access check', exact: true }).press('Enter');
  await table.waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('rows are shown as a persona sees them, with a link to the explanation', async () => {
  const { page, complaints, close } = await opened(`/policies?${address({ as: `user:${ada}` })}`);
  const notes = page.getByRole('region', { name: 'notes', exact: true });
  await notes.getByRole('button', { name: 'Show rows' }).press('Enter');
  await notes.getByText('Rows visible to ada@example.com').waitFor();
  await notes.getByRole('cell', { name: '<img src=x onerror=alert(1)>' }).waitFor();
  expect(await notes.getByText('another').count()).toBe(0);
  await notes.getByRole('link', { name: 'Explain access to notes' }).press('Enter');
  await page.getByLabel('Value of id').fill('2');
  await page.keyboard.press('Enter');
  await page.getByText('ada@example.com can’t see a matching row to select').waitFor();
  await page.getByText('Read <b>own</b> or public').first().waitFor();
  await page.getByText('owner = auth.uid()').first().waitFor();
  expect(decodeURIComponent(page.url())).toContain('key={"id":"2"}');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a write can be explained, is rolled back, and can be exported as a pgTAP test', async () => {
  const { page, close } = await opened(
    `/why?${address({ schema: 'public', table: 'notes', op: 'insert', values: { id: '9', body: 'x' }, as: 'anon' })}`,
  );
  await page.getByText('anon can’t insert this row').waitFor();
  await page.getByText('no permissive INSERT policy applies to anon').waitFor();
  await page.getByRole('button', { name: 'Export as a pgTAP test' }).press('Enter');
  await page.getByText('select throws_ok($test$insert into "public"."notes"').waitFor();
  const [row] = await backend.database
    .pool('postgres')
    .query<{ n: number }>(sql`select count(*)::int as n from public.notes`);
  expect(row?.n).toBe(2);
  await close();
});

test('the headline names the policy that came closest, with a link to its editor', withStates, async () => {
  const { page, complaints, close } = await opened(
    `/why?${address({ schema: 'public', table: 'orders', op: 'update', key: { id: '616' }, as: `user:${ada}` })}`,
  );
  // The new values are unknown, but the policies decide by the current row.
  const status = page.getByRole('status').filter({ hasText: 'can’t see a matching row to update' });
  await status.getByText('The closest policy').waitFor();
  expect((await status.textContent())?.replaceAll('’', "'")).toContain(
    "The closest policy, Cancel own, fails on only one condition:status = 'pending'::textstatus: shipped",
  );
  expect(await status.getByText(/Staff|is_staff/).count()).toBe(0);
  await expectSound(page, 'the closest policy');
  // The policy is edited above the result, which is then evaluated again.
  const asked = page.url();
  await status.getByRole('link', { name: 'Edit this policy: Cancel own' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Policy on orders' });
  const using = panel.getByRole('textbox', { name: /^USING/ });
  await using.getByText("status = 'pending'").waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await expect.poll(() => page.url()).toBe(asked);
  await status.getByRole('link', { name: 'Edit this policy: Cancel own' }).press('Enter');
  await using.getByText("status = 'pending'").waitFor();
  await using.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('owner = auth.uid()');
  await panel.getByText('using (owner = auth.uid())').waitFor();
  await panel.getByRole('button', { name: 'Save' }).press('Enter');
  await panel.waitFor({ state: 'detached' });
  await page.getByText('can’t update this row').waitFor();
  await expect.poll(() => page.url()).toBe(asked);
  await backend.database
    .pool('postgres')
    .exec(`alter policy "Cancel own" on public.orders using (owner = auth.uid() and status = 'pending')`);
  await go(
    page,
    `${new URL(asked).pathname.replace(/^\/console/, '')}${new URL(asked).search}&edited=public.orders&policy=gone`,
  );
  await page.getByText('Policy gone of public.orders not found').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a logged write can be explained without its values, which aren’t in the log', withStates, async () => {
  const token = backend.keys.sign({ role: 'authenticated', sub: ada });
  // REST finds the tables only after it has been notified.
  await expect
    .poll(
      async () =>
        (await backend.fetch('/rest/v1/orders', { headers: { apikey: backend.keys.publishableKey } })).status,
    )
    .toBe(200);
  const send = async (method: string, query: string, body: object) => {
    const response = await backend.fetch(`/rest/v1/orders${query}`, {
      method,
      headers: {
        apikey: backend.keys.publishableKey,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.headers.get('x-request-id') ?? '';
  };
  const { page, complaints, close } = await opened(
    `/why?${address({ request: await send('PATCH', '?id=eq.616', { status: 'canceled', note: 'x' }) })}`,
  );
  await page.getByText('The closest policy').waitFor();
  await page.getByText('The row keeps its values of note, status').waitFor();
  const value = (column: string) => page.getByLabel(`Value of ${column}`);
  expect(await value('id').inputValue()).toBe('616');
  expect(await value('status').getAttribute('placeholder')).toBe('current value');
  await expectSound(page, 'a logged update');
  await value('status').fill('canceled');
  await value('status').press('Enter');
  await page.getByText('The row keeps its values of note').waitFor();
  // The same question can be asked again, and the answer is current.
  await backend.database.pool('postgres').exec(`update public.orders set status = 'pending' where id = 616`);
  await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
  await page.getByText('ada@example.com can’t update this row').waitFor();
  await backend.database.pool('postgres').exec(`update public.orders set status = 'shipped' where id = 616`);

  await go(page, `/why?${address({ request: await send('POST', '', { id: 617, status: 'paid' }) })}`);
  await page.getByText('Enter the values of the new row').waitFor();
  await value('id').fill('617');
  await page.getByRole('button', { name: 'Add column' }).press('Enter');
  await value('owner').fill(ada);
  await value('status').fill('paid');
  await value('status').press('Enter');
  await page.getByText('ada@example.com can insert this row').waitFor();

  // A question without a row doesn't stay without an answer.
  await go(page, `/why?${address({ schema: 'public', table: 'orders', as: 'anon' })}`);
  await page.getByRole('button', { name: 'Remove id' }).press('Enter');
  await page.getByRole('button', { name: 'Explain', exact: true }).press('Enter');
  await page.getByRole('alert').getByText('Enter the key of the row.').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a logged request can be explained', async () => {
  const response = await backend.fetch('/rest/v1/notes?id=eq.2', {
    headers: { apikey: backend.keys.publishableKey },
  });
  const id = response.headers.get('x-request-id') ?? '';
  await response.text();
  const { page, close } = await opened(`/why?${address({ request: id })}`);
  await page.getByText('anon can’t see a matching row to select').waitFor();
  await expect.poll(() => page.getByLabel('Value of id').inputValue()).toBe('2');
  // For this view, which is in a different schema, the policies of the underlying table apply.
  const shelf = await backend.fetch('/rest/v1/shelf?id=eq.2', {
    headers: { apikey: backend.keys.publishableKey, 'accept-profile': 'graphql_public' },
  });
  expect([shelf.status, await shelf.json()]).toEqual([200, []]);
  await go(page, `/why?${address({ request: shelf.headers.get('x-request-id') ?? '' })}`);
  await page.getByRole('region', { name: 'public.notes, as anon · SELECT policies' }).waitFor();
  await page.getByText('public.notes, read as anon').waitFor();
  await page.getByText('No SELECT policy matches this row.').waitFor();
  expect(new URL(page.url()).searchParams.get('schema')).toBe('graphql_public');
  expect(await axeViolations(page)).toEqual([]);
  await close();
});

test('a row and a log entry link to the explanation', async () => {
  const { page, close } = await opened(`/tables/public/notes?${address({ row: { id: '2' } })}`);
  await page.getByRole('dialog').getByRole('link', { name: 'Explain who can see this row' }).press('Enter');
  // The page requires the operator to choose a persona first, and then still shows the explanation for the row.
  await page.getByText('Choose who to view as').waitFor();
  const who = page.getByRole('region', { name: 'View as', exact: true });
  await who.getByRole('button', { name: 'ada@example.com' }).press('Enter');
  await page.getByText('ada@example.com can’t see a matching row to select').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Change');
  await go(page, `/tables/public/notes?${address({ row: { id: '1' } })}`);
  await page.getByRole('dialog').getByRole('link', { name: 'Explain who can see this row' }).press('Enter');
  await page.getByText('ada@example.com can select this row').waitFor();
  await who.getByRole('button', { name: 'Change' }).press('Enter');
  await who.getByText('Operator or custom claims').press('Enter');
  await who.getByRole('button', { name: /^Operator/ }).press('Enter');
  await page.getByText('postgres can select this row').waitFor();
  await go(page, `/users?${address({ id: ada })}`);
  await page.getByRole('link', { name: 'Explain access' }).press('Enter');
  await who.getByText('ada@example.com').waitFor();
  const response = await backend.fetch('/rest/v1/notes?id=eq.1', {
    headers: { apikey: backend.keys.publishableKey },
  });
  await response.text();
  await go(page, `/logs?${address({ open: response.headers.get('x-request-id') ?? '' })}`);
  await page.getByRole('link', { name: 'Explain this response' }).press('Enter');
  await page.getByText('anon can’t see a matching row to select').waitFor();
  await close();
});

test(
  'the template for members offers the tables and functions that connect users with groups',
  withStates,
  async () => {
    const { page, complaints, close } = await opened('/policies?only=public.orgs');
    await page.getByText('Only orgs is shown.').waitFor();
    expect(await page.getByRole('region', { name: 'notes', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'New policy on orgs' }).press('Enter');
    const panel = page.getByRole('dialog', { name: 'New policy on orgs' });
    await panel.getByLabel('Template').selectOption('Group members (through another table)');
    await panel
      .getByText('id in (select m.org_id from public.org_users m where m.user_id = (select auth.uid()))')
      .last()
      .waitFor();
    await panel.getByLabel('Membership source').selectOption('public.is_member(integer)');
    await panel.getByText('using (public.is_member(id))').waitFor();
    await expectSound(page, 'template');
    await panel.getByRole('button', { name: 'Close' }).press('Enter');
    await page
      .getByRole('dialog', { name: /Discard/ })
      .getByRole('button', { name: /Discard/ })
      .press('Enter');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show all tables' }).press('Enter');
    await page.getByRole('region', { name: 'notes', exact: true }).waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('a table page links to the table’s policies, and a list of 500 tables can be searched, filtered and paged', {
  ...withStates,
  timeout: 60_000,
}, async () => {
  const pool = backend.database.pool('postgres');
  await pool.exec(`create schema many; do $$ begin for n in 1..500 loop
    execute format('create table many.t%s (id int)', lpad(n::text, 3, '0'));
    execute format('grant select on many.t%s to anon', lpad(n::text, 3, '0'));
    end loop; end $$; grant usage on schema many to anon;
    create policy "On the first page" on many.t001 using (true);
    alter table many.t250 enable row level security;
    create policy "Find me" on many.t250 using (true);`);
  const { page, complaints, close } = await opened('/policies');
  await page.getByRole('region', { name: 'many.t001' }).waitFor();
  expect(await page.locator('*').count()).toBeLessThanOrEqual(1500);
  await page.getByRole('button', { name: 'Next' }).press('Enter');
  await page.getByRole('region', { name: 'many.t060' }).waitFor();
  await go(page, '/policies?view=matrix');
  await page.getByRole('rowheader', { name: 'many.t001' }).waitFor();
  expect(await page.locator('*').count()).toBeLessThanOrEqual(1500);
  await go(page, '/policies');
  await page.getByLabel('Schema').selectOption('many');
  await page.getByLabel('Show', { exact: true }).selectOption('Row-level security off');
  await page.getByText('1–40 of 499').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('All tables');
  // A table that was listed with only its name shows its policies when it is the only match, and again only its name
  // when it no longer is.
  const filter = page.getByRole('searchbox', { name: 'Filter tables' });
  const first = page.getByRole('region', { name: 'many.t001' });
  await first.getByRole('button', { name: 'Details of many.t001' }).waitFor();
  await filter.fill('many.t001');
  await first.getByRole('button', { name: 'On the first page' }).waitFor();
  await filter.fill('many.t00');
  await page.getByRole('region', { name: 'many.t002' }).getByRole('button', { name: 'New policy' }).waitFor();
  await filter.fill('many');
  await first.getByRole('button', { name: 'Details of many.t001' }).waitFor();
  await filter.fill('find ME');
  await page.getByRole('region', { name: 'many.t250' }).getByRole('button', { name: 'Find me' }).waitFor();
  await expectSound(page, 'filtered');
  await go(page, '/tables/public/notes');
  await page.getByRole('link', { name: '2 policies' }).press('Enter');
  await page.getByText('Only notes is shown.').waitFor();
  await pool.exec('drop schema many cascade');
  expect(complaints.list).toEqual([]);
  await close();
});

test('the matrix highlights access to all rows only for roles that policies apply to', async () => {
  const { page, complaints, close } = await opened('/policies?view=matrix');
  await page.getByText('by policy').first().waitFor();
  const kinds = () =>
    page
      .getByTitle(/^service_role .* notes$/)
      .evaluateAll((cells) => [...new Set(cells.map((cell) => cell.getAttribute('data-kind')))]);
  await expect.poll(kinds).toEqual(['bypass']);
  // Views are listed, because anonymous callers may be able to read rows through them.
  const anon = (view: string) =>
    page.getByTitle(new RegExp(`The view ${view} reads its tables as .*anon can select`));
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
  await page.getByRole('rowheader', { name: 'leaky_notes view, security definer' }).waitFor();
  expect(await anon('leaky_notes').allTextContents()).toEqual(['all']);
  await page.getByRole('rowheader', { name: 'graphql_public.shelf view, security invoker' }).waitFor();
  expect(
    await rowOf('graphql_public.shelf')
      .getByTitle(/anon can select/)
      .allTextContents(),
  ).toEqual(['by its tables']);
  await page.getByRole('rowheader', { name: 'note_copies materialized view' }).waitFor();
  expect(
    await rowOf('note_copies')
      .getByTitle(/anon can select every row/)
      .allTextContents(),
  ).toEqual(['all']);
  await page.getByLabel('Show', { exact: true }).selectOption('Row-level security off');
  await page.getByRole('rowheader', { name: 'graphql_public.shelf' }).waitFor({ state: 'detached' });
  await page.getByRole('rowheader', { name: 'leaky_notes' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a helper function is explained with the rows that it reads', withStates, async () => {
  const { page, complaints, close } = await opened(
    `/why?${address({ schema: 'public', table: 'orgs', op: 'select', key: { id: '7' }, as: `user:${ada}` })}`,
  );
  await page.getByText('No row in public.members m meets the condition m.org = 7.').waitFor();
  const call = page.getByRole('group').filter({ hasText: 'public.is_member(integer)' });
  await call.getByText('runs as postgres (SECURITY DEFINER)').waitFor();
  await call
    .getByText('select exists (select 1 from public.members m where m.org = 7 and m.who = auth.uid())')
    .waitFor();
  await call.getByText('match in public.members m, which has 1 row that this role can read').waitFor();
  await call.getByRole('listitem').filter({ hasText: 'm.org = 7' }).getByText('0 rows').first().waitFor();
  await expectSound(page, 'unfolded');
  // The operator can collapse the function's body with the keyboard.
  await call.locator('summary').press('Enter');
  await call.getByText('match in public.members m').waitFor({ state: 'hidden' });
  expect(complaints.list).toEqual([]);
  await close();
});

test("a read-only operator can explain reads but can't change policies", async () => {
  const { page, close } = await opened('/policies', {}, 'looker');
  const notes = page.getByRole('region', { name: 'notes', exact: true });
  await notes.waitFor();
  expect(await page.getByRole('button', { name: /^(Turn|New policy)/ }).count()).toBe(0);
  await notes.getByRole('button', { name: 'Write own' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Your role can view policies').waitFor();
  await dialog.getByText('Write own', { exact: true }).waitFor();
  expect(await dialog.getByRole('combobox').or(dialog.getByRole('checkbox')).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Save policy' }).count()).toBe(0);
  await go(
    page,
    `/why?${address({ schema: 'public', table: 'notes', op: 'select', key: { id: '2' }, as: 'anon' })}`,
  );
  await page.getByText('anon can’t see a matching row').waitFor();
  await expect.poll(() => page.getByLabel('Operation', { exact: true }).locator('option').count()).toBe(1);
  await close();
});

test.each(looks)(
  'every state is accessible and never scrolls horizontally at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, width }) => {
    const { page, complaints, close } = await opened('/policies', {
      colorScheme,
      viewport: { width, height: 800 },
    });
    const question = { schema: 'public', table: 'notes', as: `user:${ada}` };
    const places: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['/policies', () => page.getByRole('region', { name: 'notes', exact: true }).waitFor()],
      ['/policies?view=matrix', () => page.getByText('by policy').first().waitFor()],
      ['/policies?filter=nothing-of-that-name', () => page.getByText('No matching tables').waitFor()],
      [
        `/policies?${address({ table: 'public.notes', policy: 'Write own' })}`,
        () => page.getByText('create policy "Write own"').waitFor(),
      ],
      ['/why', () => page.getByText('Choose who to view as').waitFor()],
      [
        `/why?${address({ ...question, op: 'select', key: { id: '2' } })}`,
        () => page.getByText('can’t see a matching row').waitFor(),
      ],
      [
        `/why?${address({ ...question, op: 'update', key: { id: '1' }, values: { body: 'x' } })}`,
        () => page.getByText('Values by column').or(page.getByText('Dry run')).first().waitFor(),
      ],
      [`/why?${address({ schema: 'public', table: 'gone' })}`, () => page.getByRole('alert').waitFor()],
    ];
    for (const [path, ready] of places) {
      await go(page, path);
      await ready();
      await expectSound(page, path);
    }
    expect(complaints.list).toEqual([]);
    await close();
  },
);
