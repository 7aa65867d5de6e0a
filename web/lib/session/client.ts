/**
 * The page's view of its session. The server stores the session (an httpOnly cookie and a row). A page keeps the access
 * token in memory only, verifies it, and requests a new one before it expires. Tabs synchronize through the five
 * events.
 */
import { ApiError } from '../api.ts';
import type { SessionEvent, SessionEvents } from './events.ts';
import { SessionFault } from './faults.ts';
import { createKeySource, type Jwk } from './jwks.ts';
import { type AccessClaims, verifyAccessToken } from './verify.ts';

/** The server's response about the cookie's session. */
export interface HeldSession<User = unknown> {
  readonly access_token: string;
  /** Seconds since the epoch. */
  readonly expires_at: number;
  readonly user: User;
}

export interface Session<User = unknown> extends HeldSession<User> {
  readonly claims: AccessClaims;
}

export type SessionState<User = unknown> =
  | { readonly status: 'loading' }
  /** `ended`: the tab had a session that was ended elsewhere. */
  | { readonly status: 'signed-out'; readonly reason: 'none' | 'ended' | 'left' }
  | { readonly status: 'signed-in'; readonly session: Session<User> }
  /** The token couldn't be verified, or the server couldn't be reached. */
  | { readonly status: 'failed'; readonly error: unknown };

/** Access to the server that stores the session. */
export interface SessionTransport<User = unknown> {
  /** Returns the session, refreshed if it expires soon, or null if there is none. */
  read(): Promise<HeldSession<User> | null>;
  /**
   * Always returns a new access token. Used after rights have changed, or to check whether the session still exists.
   */
  refresh(): Promise<HeldSession<User> | null>;
}

export interface SessionClientOptions<User> {
  /** The auth service's URL, for example `https://example.org/auth/v1`. */
  readonly url: string;
  /** The publishable key. */
  readonly key: string;
  readonly transport: SessionTransport<User>;
  readonly events: SessionEvents;
  readonly fetch?: typeof fetch;
  /** Returns milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface SessionClient<User = unknown> {
  state(): SessionState<User>;
  /** Calls `listener` after every state change. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Reads the session from the server without notifying others. If there is no response, the session is unchanged. */
  load(): Promise<SessionState<User>>;
  /** Call this after the server has changed the session: reads it and notifies all tabs. */
  changed(event: SessionEvent): Promise<SessionState<User>>;
  /**
   * Requests a new access token and notifies all tabs. Also detects that a session was ended elsewhere. If there is no
   * response, the session is unchanged: its token may expire, and a rejected call requests a new one.
   */
  refresh(): Promise<SessionState<User>>;
  close(): void;
}

/** A new token is requested this long before the old one expires. */
const refreshAheadMs = 60_000;
/** The longest delay that browser timers support. */
const longestTimerMs = 2_147_483_647;

/** `fetch` fails with a TypeError, and `callApi` with status 0. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof ApiError && error.status === 0);

export function createSessionClient<User>(options: SessionClientOptions<User>): SessionClient<User> {
  const { url, key, transport, events, now = Date.now, fetch: request = fetch } = options;
  if (url === '' || key === '') throw new SessionFault('url_and_key_required');

  const keys = createKeySource({
    now,
    fetchKeys: async () => {
      const response = await request(`${url}/.well-known/jwks.json`, { headers: { apikey: key } });
      if (!response.ok) throw new Error(`The signing keys could not be read (status ${response.status}).`);
      return (await response.json()) as { keys?: Jwk[] };
    },
  });
  const confirm = async (token: string): Promise<boolean> => {
    const response = await request(`${url}/user`, {
      headers: { apikey: key, authorization: `Bearer ${token}` },
    });
    return response.ok;
  };

  let current: SessionState<User> = { status: 'loading' };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const subscribers = new Set<() => void>();

  function become(next: SessionState<User>): SessionState<User> {
    current = next;
    clearTimeout(timer);
    if (next.status === 'signed-in') {
      const wait = next.session.expires_at * 1000 - now() - refreshAheadMs;
      timer = setTimeout(() => void client.refresh(), Math.min(Math.max(wait, 1000), longestTimerMs));
    }
    for (const subscriber of subscribers) subscriber();
    return next;
  }

  async function take(held: HeldSession<User> | null): Promise<SessionState<User>> {
    if (held === null) {
      const reason = current.status === 'signed-in' ? 'ended' : 'none';
      return become(current.status === 'signed-out' ? current : { status: 'signed-out', reason });
    }
    const claims = await verifyAccessToken(held.access_token, { keys, now, confirm });
    return become({ status: 'signed-in', session: { ...held, claims } });
  }

  /** A token that expired in transit is retried once. Any other error is final. */
  async function read(): Promise<SessionState<User>> {
    try {
      return await take(await transport.read());
    } catch (error) {
      if (error instanceof SessionFault && error.code === 'expired') return take(await transport.refresh());
      throw error;
    }
  }

  async function orFailed(work: () => Promise<SessionState<User>>): Promise<SessionState<User>> {
    try {
      return await work();
    } catch (error) {
      return become({ status: 'failed', error });
    }
  }

  /**
   * If there is no response, the session is unchanged, because a device that wakes up may only be online a moment
   * later.
   */
  async function orAsBefore(work: () => Promise<SessionState<User>>): Promise<SessionState<User>> {
    try {
      return await work();
    } catch (error) {
      return current.status === 'signed-in' && isUnanswered(error)
        ? current
        : become({ status: 'failed', error });
    }
  }

  const unlisten = events.listen((event, from) => {
    if (from === 'this tab') return;
    void orFailed(event === 'SIGNED_OUT' ? () => take(null) : read);
  });

  const client: SessionClient<User> = {
    state: () => current,
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    load: () => orAsBefore(read),
    changed: (event) =>
      orFailed(async () => {
        const next = event === 'SIGNED_OUT' ? become({ status: 'signed-out', reason: 'left' }) : await read();
        events.emit(event);
        return next;
      }),
    refresh: () =>
      orAsBefore(async () => {
        const before = current.status;
        const next = await take(await transport.refresh());
        if (next.status === 'signed-in') events.emit('TOKEN_REFRESHED');
        else if (before === 'signed-in') events.emit('SIGNED_OUT');
        return next;
      }),
    close() {
      clearTimeout(timer);
      unlisten();
      subscribers.clear();
    },
  };
  return client;
}
