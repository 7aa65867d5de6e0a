/** Provides the operator's session, and functions that call the Console's API with the session. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, callApi, openApi } from '../../lib/api.ts';
import { takeEarly } from '../early.ts';
import { confirmIdentity } from './identity.ts';
import { consoleUrl, type Input, type Options, type Payload, type Route, resolve } from './route.ts';
import type { Permission, Session } from './types.ts';

/** The page's operator and CSRF token, which are kept only in memory. */
let own: Pick<Session, 'operator' | 'csrfToken'> | undefined;

/**
 * Calls a route of the contract. Resolves to the parsed response.
 * @throws {ApiError}
 * @example fetchConsole('GET /users/:id', { params: { id }, signal })
 */
export function fetchConsole<Name extends Route>(
  route: Name,
  ...[options]: Options<Input<Name> & Cancel>
): Promise<Payload<Name>> {
  const { params, query, body, file, signal } = (options ?? {}) as AnyInput;
  const { method, url } = resolve(route, { params, query });
  const early = method === 'GET' ? takeEarly(url) : undefined;
  return proven((headers) => callApi<Payload<Name>>(url, { method, body, file, signal, early, headers }));
}

interface Cancel {
  readonly signal?: AbortSignal | undefined;
}

interface AnyInput extends Cancel {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
  readonly file?: Blob;
}

/** Returns the response without reading its body, for routes that stream. @throws {ApiError} if the status isn't 2xx */
export function openConsole<Name extends Route>(
  route: Name,
  ...[options]: Options<Input<Name> & Cancel>
): Promise<Response> {
  const { params, query, body, signal } = (options ?? {}) as AnyInput;
  const { method, url } = resolve(route, { params, query });
  return proven((headers) => openApi(url, { method, body, signal, headers }));
}

/**
 * Sends a request. If the server requires the operator to confirm their identity first, asks for the confirmation and
 * then repeats the request. The server rejects the first request before taking any action.
 */
async function proven<Result>(call: (headers: Record<string, string>) => Promise<Result>): Promise<Result> {
  try {
    return await withToken(call);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'sign_in_again') throw error;
    if (!(await confirmIdentity())) throw error;
    return withToken(call);
  }
}

/**
 * Sends a request with the session's CSRF token. If the operator has signed in again in another tab, the server rejects
 * the old token before taking any action. After such a rejection, the new session is fetched, and the call is repeated
 * if the operator is the same.
 */
async function withToken<Result>(
  call: (headers: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const send = (): Promise<Result> => call({ 'x-plinth-csrf': own?.csrfToken ?? '' });
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'csrf') throw error;
    const session = await callApi<Session>(consoleUrl('GET /session'));
    if (session.operator.name !== own?.operator.name || session.csrfToken === own.csrfToken) throw error;
    remember(session);
    return send();
  }
}

function remember(session: Session): Session {
  own = session;
  return session;
}

/** The session, or null if the operator isn't signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal, client, queryKey }): Promise<Session | null> => {
    try {
      return remember(await fetchConsole('GET /session', { signal }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const previous = client.getQueryData<Session | null>(queryKey) ?? null;
      if (previous !== null) client.setQueryData(sessionEndedQuery.queryKey, true);
      return previous;
    }
  },
});

/**
 * Whether this page's session has ended on the server. The page keeps the operator's input, so they can continue after
 * they sign in again.
 */
export const sessionEndedQuery = queryOptions({
  queryKey: ['session-ended'],
  queryFn: () => false,
  initialData: false,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** Continues with the session from another tab in which the operator has signed in. @throws {ApiError} */
export async function resumeSession(queryClient: QueryClient): Promise<Session> {
  const session = remember(await fetchConsole('GET /session'));
  if (session.factor === 'owed' || session.factor === 'missing') return session;
  queryClient.setQueryData(sessionQuery.queryKey, session);
  queryClient.setQueryData(sessionEndedQuery.queryKey, false);
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] !== sessionEndedQuery.queryKey[0],
  });
  return session;
}

export async function signIn(queryClient: QueryClient, token: string): Promise<Session> {
  const session = remember(await fetchConsole('POST /sign-in', { body: { token } }));
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return session;
}

export async function signOut(queryClient: QueryClient): Promise<void> {
  await fetchConsole('POST /sign-out');
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

/** Checks every response for a status that shows that the session has ended. */
export function watchSignOut(queryClient: QueryClient): void {
  const look = (error: unknown): void => {
    if (!(error instanceof ApiError) || error.status !== 401) return;
    if (queryClient.getQueryData(sessionQuery.queryKey) !== null)
      queryClient.setQueryData(sessionEndedQuery.queryKey, true);
  };
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') look(event.action.error);
  });
  queryClient.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') look(event.action.error);
  });
}

/** Whether the operator has a permission. This function only hides controls. The server enforces the permissions. */
export function useMay(permission: Permission): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.operator.permissions.includes(permission) ?? false;
}
