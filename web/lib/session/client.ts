/**
 * Manages the state of the session in a page. The server stores the session (an httpOnly cookie and a row). The page
 * keeps the access token only in memory, verifies it, and requests a new token before the current token expires. Tabs
 * exchange the five session events.
 */
import { ApiError } from '../api.ts';
import type { SessionEvent, SessionEvents } from './events.ts';
import { SessionFault } from './faults.ts';
import { createKeySource, type Jwk } from './jwks.ts';
import { type AccessClaims, verifyAccessToken } from './verify.ts';

/** The server's response about the session to which the cookie belongs. */
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
  /**
   * The user is signed out. The reason is `ended` if this tab had a session that was ended elsewhere, for example in
   * another browser.
   */
  | { readonly status: 'signed-out'; readonly reason: 'none' | 'ended' | 'left' }
  | { readonly status: 'signed-in'; readonly session: Session<User> }
  /** The token couldn't be verified, or the server couldn't be reached. */
  | { readonly status: 'failed'; readonly error: unknown };

/** The API of the server that stores the session. */
export interface SessionTransport<User = unknown> {
  /**
   * Returns the session, or null if the user isn't signed in. If the session expires soon, the server refreshes it
   * first.
   */
  read(): Promise<HeldSession<User> | null>;
  /**
   * Always returns a new access token. Called after the user's permissions have changed, or to check whether the
   * session still exists.
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
  /** Returns the current time in milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface SessionClient<User = unknown> {
  state(): SessionState<User>;
  /** Calls `listener` after each state change. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /**
   * Reads the session from the server without notifying other tabs. If the server doesn't respond, the state doesn't
   * change.
   */
  load(): Promise<SessionState<User>>;
  /** Reads the session and notifies all tabs. Call this after the server has changed the session. */
  changed(event: SessionEvent): Promise<SessionState<User>>;
  /**
   * Requests a new access token and notifies all tabs. The request also detects whether the session was ended
   * elsewhere, for example in another browser. If the server doesn't respond, the state doesn't change. The current
   * token may then expire, and a call that is rejected requests a new token.
   */
  refresh(): Promise<SessionState<User>>;
  close(): void;
}

/** A new access token is requested this long before the current access token expires. */
const refreshAheadMs = 60_000;
/** The longest delay that timers in browsers support. */
const maxTimerMs = 2_147_483_647;

/**
 * Whether the server didn't respond. If the server doesn't respond, `fetch` throws a TypeError, and `callApi` throws an
 * error with status 0.
 */
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
      timer = setTimeout(() => void client.refresh(), Math.min(Math.max(wait, 1000), maxTimerMs));
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

  /**
   * A token can expire while the response is in transit, so the request is repeated once. All other errors are final.
   */
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
   * Runs `work`, but keeps the state if the server doesn't respond. For example, a device that resumes from sleep may
   * be offline for a moment.
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
