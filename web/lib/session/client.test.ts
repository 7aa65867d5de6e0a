import { createHmac } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createSessionClient, type HeldSession, type SessionClient } from './client.ts';
import { createSessionEvents, type SessionEvent, type SessionEvents, sessionEvents } from './events.ts';

const now = 1_800_000_000_000;
const cleanups: (() => void)[] = [];
let channels = 0;

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function held(name: string, lifeSeconds = 3600): HeldSession<string> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expiresAt = now / 1000 + lifeSeconds;
  const data = `${encode({ alg: 'HS256' })}.${encode({ sub: name, exp: expiresAt })}`;
  const signature = createHmac('sha256', 'secret').update(data).digest('base64url');
  return { access_token: `${data}.${signature}`, expires_at: expiresAt, user: name };
}

interface Tab {
  readonly client: SessionClient<string>;
  readonly seen: string[];
  readonly events: SessionEvents;
}

function openTab(channel: string, server: { session: HeldSession<string> | null }, confirmed = true): Tab {
  const events = createSessionEvents(new BroadcastChannel(channel));
  const client = createSessionClient<string>({
    url: 'https://example.org/auth/v1',
    key: 'sb_publishable_x',
    now: () => now,
    events,
    transport: { read: async () => server.session, refresh: async () => server.session },
    fetch: async () => new Response('{}', { status: confirmed ? 200 : 403 }),
  });
  const seen: string[] = [];
  events.listen((event, from) => seen.push(`${event} from ${from}`));
  cleanups.push(
    () => client.close(),
    () => events.close(),
  );
  return { client, seen, events };
}

function newChannel(): string {
  channels += 1;
  return `client-test-${channels}`;
}

test('load() returns the server’s session and emits no event', async () => {
  const tab = openTab(newChannel(), { session: held('ada') });
  expect(tab.client.state()).toEqual({ status: 'loading' });
  await expect(tab.client.load()).resolves.toMatchObject({ status: 'signed-in', session: { user: 'ada' } });
  expect(tab.seen).toEqual([]);
});

test('five session events exist', () => {
  expect(sessionEvents).toEqual([
    'SIGNED_IN',
    'SIGNED_OUT',
    'TOKEN_REFRESHED',
    'USER_UPDATED',
    'PASSWORD_RECOVERY',
  ]);
});

test.each(['SIGNED_IN', 'USER_UPDATED', 'PASSWORD_RECOVERY'] as const satisfies SessionEvent[])(
  '%s reaches this tab and the other tabs, which load the session again',
  async (event) => {
    const server = { session: null as HeldSession<string> | null };
    const channel = newChannel();
    const one = openTab(channel, server);
    const two = openTab(channel, server);
    await Promise.all([one.client.load(), two.client.load()]);
    expect(two.client.state()).toEqual({ status: 'signed-out', reason: 'none' });
    server.session = held('grace');
    await one.client.changed(event);
    expect(one.seen).toEqual([`${event} from this tab`]);
    await vi.waitFor(() => expect(two.client.state()).toMatchObject({ session: { user: 'grace' } }));
    expect(two.seen).toEqual([`${event} from another tab`]);
  },
);

test('TOKEN_REFRESHED passes the new token to the other tabs', async () => {
  const server = { session: held('ada', 120) };
  const channel = newChannel();
  const one = openTab(channel, server);
  const two = openTab(channel, server);
  await Promise.all([one.client.load(), two.client.load()]);
  server.session = held('ada', 7200);
  await one.client.refresh();
  await vi.waitFor(() => expect(two.seen).toEqual(['TOKEN_REFRESHED from another tab']));
  await vi.waitFor(() =>
    expect(two.client.state()).toMatchObject({ session: { expires_at: now / 1000 + 7200 } }),
  );
});

test('signing out in one tab signs out the other tabs and notifies them', async () => {
  const server = { session: held('ada') as HeldSession<string> | null };
  const channel = newChannel();
  const one = openTab(channel, server);
  const two = openTab(channel, server);
  await Promise.all([one.client.load(), two.client.load()]);
  server.session = null;
  await one.client.changed('SIGNED_OUT');
  expect(one.client.state()).toEqual({ status: 'signed-out', reason: 'left' });
  await vi.waitFor(() => expect(two.client.state()).toEqual({ status: 'signed-out', reason: 'ended' }));
});

test('a session that was ended elsewhere is detected at the next refresh', async () => {
  const server = { session: held('ada') as HeldSession<string> | null };
  const tab = openTab(newChannel(), server);
  await tab.client.load();
  server.session = null;
  await expect(tab.client.refresh()).resolves.toEqual({ status: 'signed-out', reason: 'ended' });
  expect(tab.seen).toEqual(['SIGNED_OUT from this tab']);
});

test('a refresh without a response, as on a device that wakes up, doesn’t change the session', async () => {
  const server = {
    get session(): HeldSession<string> | null {
      return this.answer();
    },
    answer: (): HeldSession<string> | null => held('ada'),
  };
  const tab = openTab(newChannel(), server);
  await tab.client.load();
  server.answer = () => {
    throw new TypeError('Failed to fetch');
  };
  await expect(tab.client.refresh()).resolves.toMatchObject({
    status: 'signed-in',
    session: { user: 'ada' },
  });
  await expect(tab.client.load()).resolves.toMatchObject({ status: 'signed-in', session: { user: 'ada' } });
  expect(tab.seen).toEqual([]);
  // The session's state can't be determined, so the browser isn't treated as signed in.
  await expect(openTab(newChannel(), server).client.load()).resolves.toMatchObject({ status: 'failed' });
});

test('a token that the service doesn’t recognize causes an error instead of a session', async () => {
  const tab = openTab(newChannel(), { session: held('eve') }, false);
  await expect(tab.client.load()).resolves.toMatchObject({
    status: 'failed',
    error: { message: 'Invalid JWT signature' },
  });
});

test('messages that aren’t session events are ignored', async () => {
  const channel = newChannel();
  const tab = openTab(channel, { session: null });
  const stranger = new BroadcastChannel(channel);
  stranger.postMessage({ event: 'SIGNED_IN' });
  stranger.postMessage('EVERYTHING_GONE');
  stranger.postMessage('USER_UPDATED');
  await vi.waitFor(() => expect(tab.seen).toEqual(['USER_UPDATED from another tab']));
  stranger.close();
});
