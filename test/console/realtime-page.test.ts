/** Tests the realtime page in Chromium, connected to the real service. */
import { createClient } from '@supabase/supabase-js';
import type { Browser, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSql } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { operator } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';
import { markup, type ServicesBackend, startServicesBackend } from './services-backend.ts';

let services: ServicesBackend;
let browser: Browser;
let userId: string;
beforeAll(async () => {
  services = await startServicesBackend();
  browser = await launchBrowser();
  const owner = await operator(services.backend);
  const { body } = await owner.call('POST', '/users', {
    email: 'ada@example.com',
    password: 'a-Good-password-1',
  });
  userId = body.id;
});
afterAll(async () => {
  await browser?.close();
  await services?.stop();
});

test(
  'the page joins, sends, tracks presence, and shows changes and others’ messages',
  withStates,
  async () => {
    const { backend } = services;
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go(`/realtime?topic=room&table=public.feed&as=user:${userId}`);
    await page.getByText('ada@example.com').waitFor();
    await page.getByRole('button', { name: 'Join', exact: true }).press('Enter');
    await page.getByText('joined', { exact: true }).waitFor();
    // The locator matches only the summary line of each event, because the event's details contain the same words.
    const events = page.getByRole('region', { name: 'Events' }).locator('summary');
    await events.getByText('Subscribed to PostgreSQL').waitFor();

    await page.getByLabel('Payload (JSON)').fill('not json');
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await page.getByText('Enter a JSON object.').waitFor();
    await page.getByLabel('Payload (JSON)').fill('{ "text": "from the page" }');
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await expect.poll(() => events.getByText('message', { exact: true }).count()).toBe(2);

    await page.getByRole('button', { name: 'Track', exact: true }).press('Enter');
    await page.getByText('1 present').waitFor();
    await page.getByRole('button', { name: 'Untrack' }).press('Enter');
    await page.getByText('No one is present').waitFor();

    await runSql(backend, `insert into public.feed values (1, 'hello')`);
    await events.getByText('INSERT public.feed').waitFor();

    const other = createClient(backend.url, backend.keys.publishableKey);
    const channel = other.channel('room');
    await new Promise<void>((resolve) => channel.subscribe((state) => state === 'SUBSCRIBED' && resolve()));
    await channel.send({ type: 'broadcast', event: markup, payload: { html: markup } });
    await events.getByText(markup).first().waitFor();
    await channel.send({ type: 'broadcast', event: 'bytes', payload: new Uint8Array([0, 255]).buffer });
    await events.getByText('bytes', { exact: true }).waitFor();
    const bytes = events.filter({ hasText: 'bytes' });
    await bytes.press('Enter');
    await page.getByRole('region', { name: 'Payload of broadcast' }).getByText('00 ff').waitFor();
    await bytes.press('Enter');
    await expectSound(page, 'joined');
    await other.removeAllChannels();
    other.realtime.disconnect();

    await page.getByRole('button', { name: 'Leave' }).press('Enter');
    await page.getByText('not joined').waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('a channel that was joined is joined again after the connection is lost', async () => {
  const { page, complaints, go, close } = await signedIn(browser, services.backend);
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/realtime\/v1\/websocket/, (socket) => {
    sockets.push(socket);
    // The second connection is refused, as by a server that is still starting.
    if (sockets.length === 2) void socket.close({ code: 1012 });
    else socket.connectToServer();
  });
  await go('/realtime?topic=room');
  await page.getByRole('button', { name: 'Join', exact: true }).press('Enter');
  const state = page.getByRole('status').filter({ hasText: /^(joined|connection lost, rejoining…)$/ });
  await state.getByText('joined', { exact: true }).waitFor();
  await sockets[0]?.close({ code: 1012 });
  const events = page.getByRole('region', { name: 'Events' }).locator('summary');
  await events.getByText('The connection was lost (1012).').waitFor();
  await events.getByText('Joined again after the connection was lost').waitFor();
  await state.getByText('joined', { exact: true }).waitFor();
  expect(sockets).toHaveLength(3);
  expect(await events.getByText('The connection was lost (1012)').count()).toBe(1);
  await page.getByRole('button', { name: 'Leave' }).press('Enter');
  await page.getByText('not joined').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('the delivery of a change and a broadcast is explained step by step', withStates, async () => {
  const { backend } = services;
  await runSql(backend, `insert into public.closed values (1)`);
  await runSql(backend, `insert into public.feed values (50, 'judged')`);
  const { page, complaints, go, close } = await signedIn(browser, backend);
  const judged = page.getByRole('region', { name: 'Delivery check' });
  await go(`/realtime?table=public.feed&as=user:${userId}`);
  await judged.getByLabel('Row key (JSON)').fill('{"id": 50}');
  await page.keyboard.press('Enter');
  await judged.getByText('delivered', { exact: true }).waitFor();
  await judged.getByText('to ada@example.com').waitFor();
  await judged.getByRole('region', { name: 'Delivered data' }).getByText('judged').waitFor();
  await expectSound(page, 'a change that arrives');
  await go(`/realtime?table=public.closed&as=user:${userId}`);
  await judged.getByRole('button', { name: 'Check' }).press('Enter');
  await judged.getByText('not delivered', { exact: true }).waitFor();
  await judged.getByText('Blocked:').first().waitFor();
  await go('/realtime?topic=secret&private=true');
  await judged.getByRole('button', { name: 'Check' }).press('Enter');
  await judged.getByText('not delivered', { exact: true }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await expectSound(page, 'a broadcast that does not');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a private channel without a policy is rejected, as the page’s check predicts', async () => {
  const { page, go, close } = await signedIn(browser, services.backend);
  await go('/realtime?topic=secret&private=true&table=public.quiet');
  await page.getByText('No SELECT policy on realtime.messages').waitFor();
  await page.getByText('The table isn’t in the supabase_realtime publication.').waitFor();
  await page.getByRole('button', { name: 'Join', exact: true }).press('Enter');
  await page.getByRole('region', { name: 'Events' }).getByText('Unauthorized').first().waitFor();
  await page.getByText('failed', { exact: true }).waitFor();
  await close();
});

test('a read-only operator can join only as Anonymous', async () => {
  await services.backend.operators.createOperator('looker', 'read-only');
  const { page, go, close } = await signedIn(browser, services.backend, {}, 'looker');
  await go('/realtime?topic=room');
  await page.getByRole('button', { name: 'Join', exact: true }).press('Enter');
  await page.getByText('joined', { exact: true }).waitFor();
  await go(`/realtime?topic=room&as=user:${userId}`);
  await page.getByRole('button', { name: 'Join', exact: true }).press('Enter');
  await page.getByText("Your role doesn't allow this action.").waitFor();
  await close();
});

test.each(looks)(
  'every state is accessible at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, go, close } = await signedIn(browser, services.backend, {
      viewport,
      colorScheme,
    });
    await go('/realtime?table=public.closed&private=true');
    await page.getByText('Row-level security is on').waitFor();
    await expectSound(page, 'not joined');
    await go('/realtime?topic=room');
    await page.getByRole('button', { name: 'Join', exact: true }).press('Enter');
    await page.getByText('joined', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Track', exact: true }).press('Enter');
    await page.getByText('1 present').waitFor();
    await expectSound(page, 'joined');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
