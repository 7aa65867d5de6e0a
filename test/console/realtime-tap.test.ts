/** Tests that operators can watch realtime messages: in the API with stock supabase-js, and on the page in Chromium. */
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runSql } from '../../src/entry/testing.ts';
import type { TappedMessage } from '../../src/pages/console/realtime/contract.ts';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';
import { markup, type ServicesBackend, startServicesBackend } from './services-backend.ts';

let services: ServicesBackend;
let backend: Backend;
let owner: Operator;
let browser: Browser;
let client: SupabaseClient;
beforeAll(async () => {
  services = await startServicesBackend();
  backend = services.backend;
  owner = await operator(backend);
  await backend.operators.createOperator('looker', 'read-only');
  await runSql(
    backend,
    'create policy anyone on realtime.messages for all to anon using (true) with check (true)',
  );
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await client?.realtime.disconnect();
  await services?.stop();
});
beforeEach(() => {
  client?.realtime.disconnect();
  client = createClient(backend.url, backend.keys.publishableKey);
});

interface Watch {
  /** Waits until a message matches. */
  until(matches: (message: TappedMessage) => boolean): Promise<TappedMessage>;
  readonly all: readonly TappedMessage[];
  stop(): void;
}

async function watch(query: Record<string, string> = {}): Promise<Watch> {
  const stop = new AbortController();
  const response = await backend.console.fetch(`/console/api/realtime/tap?${new URLSearchParams(query)}`, {
    headers: { cookie: owner.cookie },
    signal: stop.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const all: TappedMessage[] = [];
  let text = '';
  return {
    all,
    stop: () => stop.abort(),
    async until(matches) {
      for (;;) {
        const found = all.find(matches);
        if (found !== undefined) return found;
        text += decoder.decode((await reader.read()).value, { stream: true });
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const data = /^data: (.*)$/m.exec(part)?.[1];
          if (data !== undefined) all.push(...JSON.parse(data).entries);
        }
      }
    },
  };
}

async function joined(topic: string, isPrivate = false, listens = true) {
  const channel = client.channel(topic, { config: { private: isPrivate } });
  if (listens) channel.on('broadcast', { event: '*' }, () => undefined);
  channel.on('presence', { event: 'sync' }, () => undefined);
  expect(await new Promise((resolve) => channel.subscribe(resolve))).toBe('SUBSCRIBED');
  return channel;
}

test('broadcasts, presence and row changes are shown, with the number of channels that received them', async () => {
  const seen = await watch({ payloads: '1' });
  const other = createClient(backend.url, backend.keys.publishableKey);
  const reader = other.channel('room').on('broadcast', { event: '*' }, () => undefined);
  await new Promise((resolve) => reader.subscribe(resolve));
  const channel = await joined('room');
  await channel.send({ type: 'broadcast', event: 'said', payload: { html: markup } });
  const said = await seen.until(({ event }) => event === 'said');
  expect(said).toMatchObject({
    kind: 'broadcast',
    topic: 'room',
    isGuarded: false,
    recipients: 1,
    isCut: false,
  });
  expect(JSON.parse(said.payload ?? '')).toEqual({ html: markup });
  await channel.track({ name: 'Ada' });
  const presence = await seen.until(
    ({ kind, payload }) => kind === 'presence' && payload?.includes('Ada') === true,
  );
  expect(presence).toMatchObject({ topic: 'room', isGuarded: false });
  other.realtime.disconnect();

  const changes = client
    .channel('changes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'feed' }, () => undefined);
  await new Promise<void>((resolve) => {
    changes.on('system', {}, ({ extension }) => {
      if (extension === 'postgres_changes') resolve();
    });
    changes.subscribe();
  });
  await runSql(backend, `insert into public.feed values (70, 'tapped')`);
  const change = await seen.until(({ kind }) => kind === 'change');
  expect(change).toMatchObject({
    topic: 'changes',
    event: 'INSERT public.feed',
    isGuarded: true,
    recipients: 1,
  });
  expect(change.payload).toContain('tapped');
  seen.stop();
});

test('payloads of private channels and of changes are shown only on request, and secrets never', async () => {
  const seen = await watch();
  const secrets = await watch({ payloads: '1' });
  const channel = await joined('secret-room', true);
  await channel.send({ type: 'broadcast', event: 'hush', payload: { key: backend.keys.secretKey } });
  const hidden = await seen.until(({ event }) => event === 'hush');
  expect(hidden).toMatchObject({ isGuarded: true, payload: null, topic: 'secret-room' });
  const shown = await secrets.until(({ event }) => event === 'hush');
  expect(shown.payload).toContain('[secret key]');
  expect(JSON.stringify([seen.all, secrets.all])).not.toContain(backend.keys.secretKey);
  seen.stop();
  secrets.stop();
});

test('a pattern selects topics, and long payloads are cut', async () => {
  const seen = await watch({ topic: 'game:*' });
  const [game, chat] = [await joined('game:7'), await joined('chat:7')];
  await chat.send({ type: 'broadcast', event: 'no', payload: {} });
  await game.send({ type: 'broadcast', event: 'yes', payload: { text: 'x'.repeat(20_000) } });
  const long = await seen.until(({ event }) => event === 'yes');
  expect([long.isCut, long.payload?.length, long.sizeBytes > 20_000]).toEqual([true, 8192, true]);
  expect(seen.all.map(({ topic }) => topic)).not.toContain('chat:7');
  seen.stop();
});

test('only operators with write access can watch, and the audit log records it', async () => {
  const looker = await operator(backend, 'looker');
  expect((await looker.call('GET', '/realtime/tap')).status).toBe(403);
  expect((await backend.console.fetch('/console/api/realtime/tap')).status).toBe(401);
  expect((await owner.call('GET', '/realtime/tap?payloads=yes')).status).toBe(400);
  const seen = await watch({ topic: 'audited', payloads: '1' });
  seen.stop();
  const { entries } = (await owner.call('GET', '/audit?action=realtime.tap')).body;
  expect(entries[0]).toMatchObject({ target: 'audited', detail: { payloads: true } });
  expect(entries.map(({ target }: { target: string }) => target)).toContain('*');
});

test('the page shows messages after confirmation', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/realtime');
  const tap = page.getByRole('region', { name: 'All messages' });
  await tap.getByLabel('Topics to watch').fill('room*');
  await tap.getByLabel('Show payloads of private channels and row changes').press('Space');
  const question = page.getByRole('dialog', { name: 'Show all payloads?' });
  await question.getByRole('button', { name: 'Show payloads' }).press('Enter');
  await tap.getByLabel('Topics to watch').press('Enter');
  await tap.getByText('live', { exact: true }).waitFor();
  const channel = await joined('room-1', true);
  await channel.send({ type: 'broadcast', event: markup, payload: { html: markup } });
  const summary = tap.locator('summary').filter({ hasText: markup });
  await summary.press('Enter');
  await tap.getByText('"html"').waitFor();
  await expectSound(page, 'watched messages');
  await tap.getByRole('button', { name: 'Stop' }).press('Enter');
  await tap.getByRole('button', { name: 'Watch' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator isn’t offered to watch', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/realtime');
  await page.getByRole('heading', { name: 'Realtime', level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Events' }).waitFor();
  expect(await page.getByRole('region', { name: 'All messages' }).count()).toBe(0);
  await close();
});
