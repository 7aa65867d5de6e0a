/** Provides this browser's session, and functions that call the auth service with the session. */
import { useSyncExternalStore } from 'react';
import type { Ending } from '../../src/pages/account/types.ts';
import { ApiError, type ApiRequest, callApi } from '../lib/api.ts';
import {
  createSessionClient,
  createSessionEvents,
  type HeldSession,
  type Session,
  type SessionClient,
  type SessionState,
} from '../lib/session/index.ts';
import { pageConfig } from './page-config.ts';

export interface Factor {
  readonly id: string;
  readonly friendly_name?: string;
  /** The phone number, if the factor is a phone. */
  readonly phone?: string;
  readonly factor_type: string;
  readonly status: string;
  readonly created_at: string;
}

export interface Identity {
  readonly identity_id: string;
  readonly provider: string;
  readonly identity_data?: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly new_email?: string;
  readonly phone?: string;
  readonly new_phone?: string;
  readonly is_anonymous?: boolean;
  /** Undefined while only the token's claims are known. */
  readonly has_password?: boolean;
  readonly factors?: readonly Factor[];
  readonly identities?: readonly Identity[] | null;
  readonly email_confirmed_at?: string;
  readonly is_sso_user?: boolean;
}

const authUrl = () => `${window.location.origin}/auth/v1`;

interface Result {
  readonly session: HeldSession<User> | null;
  readonly ended?: Ending;
}

let ended: Ending | undefined;
/** Why this browser's session ended. Undefined if the browser has a session or never had one. */
export const endedBecause = (): Ending | undefined => ended;

function heldSession(result: Result): HeldSession<User> | null {
  ended = result.ended;
  return result.session;
}

let client: SessionClient<User> | undefined;

export function sessionClient(): SessionClient<User> {
  client ??= createSessionClient<User>({
    url: authUrl(),
    key: pageConfig.key,
    events: createSessionEvents(),
    transport: {
      read: async () => heldSession(await callApi<Result>('/account/api/session')),
      refresh: async () =>
        heldSession(await callApi<Result>('/account/api/refresh', { method: 'POST', body: {} })),
    },
  });
  return client;
}

const loading: SessionState<User> = { status: 'loading' };

export function useSession(): SessionState<User> {
  return useSyncExternalStore(
    (listener) => sessionClient().subscribe(listener),
    () => sessionClient().state(),
    () => loading,
  );
}

/** The error codes for a session that no longer exists, and the REST service's code for a token that has expired. */
const endings = new Set([
  'session_not_found',
  'session_expired',
  'user_not_found',
  'bad_jwt',
  'user_banned',
  'PGRST303',
]);

/** Calls `/auth/v1` with the page's access token. */
export const callAuth = <T>(path: string, request: ApiRequest = {}): Promise<T> =>
  callService<T>(`/auth/v1${path}`, request);

/**
 * Calls a service with the page's access token. A token that is rejected may have expired while the device was asleep,
 * so the call is retried once with a new token. If the session has ended, the page changes to its signed-out state.
 */
export async function callService<T>(path: string, request: ApiRequest): Promise<T> {
  const before = await knownState();
  try {
    return await callAs<T>(before, path, request);
  } catch (error) {
    if (!(error instanceof ApiError && endings.has(error.code))) throw error;
    const after = await sessionClient().refresh();
    if (userIdOf(after) === undefined || userIdOf(after) !== userIdOf(before)) throw error;
    return callAs<T>(after, path, request);
  }
}

/**
 * Returns the session's state. If the state isn't known yet, loads it first instead of reporting that the user is
 * signed out.
 */
async function knownState(): Promise<SessionState<User>> {
  const state = sessionClient().state();
  return state.status === 'loading' || state.status === 'failed' ? sessionClient().load() : state;
}

function callAs<T>(state: SessionState<User>, path: string, request: ApiRequest): Promise<T> {
  const token = state.status === 'signed-in' ? state.session.access_token : pageConfig.key;
  return callApi<T>(`${window.location.origin}${path}`, {
    ...request,
    headers: {
      ...request.headers,
      apikey: pageConfig.key,
      authorization: `Bearer ${token}`,
      // The language of emails.
      'accept-language': document.documentElement.lang,
    },
  });
}

const userIdOf = (state: SessionState<User>): string | undefined =>
  state.status === 'signed-in' ? state.session.user.id : undefined;

/**
 * Returns the name by which users recognize their account (an address, number or wallet). Returns an empty string for
 * guests.
 */
export function nameOf({ email, phone = '', identities }: User): string {
  if (email !== '') return email;
  return phone === '' ? (identities?.map(walletOf).find(Boolean) ?? '') : `+${phone}`;
}

/** Returns a shortened wallet address, as wallets show it. Returns undefined for identities that aren't wallets. */
export function walletOf({ provider, identity_data: data }: Identity): string | undefined {
  const address = (data?.custom_claims as { address?: string } | undefined)?.address;
  if (provider !== 'web3' || address === undefined) return undefined;
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

export function verifiedFactors(user: User): readonly Factor[] {
  return user.factors?.filter((factor) => factor.status === 'verified') ?? [];
}

/** Whether the last sign-in is so old that the user must confirm their identity before changing sign-in methods. */
export function isStale({ claims }: Session<User>, nowMs: number = Date.now()): boolean {
  const latest = Math.max(0, ...(claims.amr ?? []).map(({ timestamp }) => timestamp));
  return nowMs - latest * 1000 > freshMs;
}

const freshMs = 15 * 60_000;

/** Whether the user has a second factor but has signed in with only the first factor. */
export function needsSecondFactor({ user, claims }: Session<User>): boolean {
  return claims.aal !== 'aal2' && verifiedFactors(user).length > 0;
}
