/** Who is signed in, and the one way to call the Console's API. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { ApiError, type ApiRequest, callApi, openApi } from '../../lib/api.ts';
import { takeEarly } from '../early.ts';
import type { Permission, Session } from './types.ts';

const base = '/console/api';
/** Proof that a changing request comes from an open page; lives in memory only. */
let csrfToken = '';

export function callConsole<Answer>(path: string, options: ApiRequest = {}): Promise<Answer> {
  const early = options.method === undefined ? takeEarly(base + path) : undefined;
  return callApi<Answer>(base + path, { ...options, early, headers: { 'x-plinth-csrf': csrfToken } });
}

/** The answer itself, for those that come in pieces; an {@link ApiError} unless it is a good one. */
export function openConsole(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  return openApi(base + path, { method: 'POST', body, signal, headers: { 'x-plinth-csrf': csrfToken } });
}

function remember(session: Session): Session {
  csrfToken = session.csrfToken;
  return session;
}

/** Null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 5 * 60_000,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return remember(await callConsole<Session>('/session', { signal }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
});

export async function signIn(queryClient: QueryClient, token: string): Promise<Session> {
  const session = remember(await callConsole<Session>('/sign-in', { method: 'POST', body: { token } }));
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return session;
}

export async function signOut(queryClient: QueryClient): Promise<void> {
  await callConsole('/sign-out', { method: 'POST' });
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

/** The session ended on the server: forgets it here, so that the router asks for a sign-in. */
export function watchSignOut(queryClient: QueryClient, onSignedOut: () => void): void {
  const look = (error: unknown): void => {
    if (!(error instanceof ApiError) || error.status !== 401) return;
    if (queryClient.getQueryData(sessionQuery.queryKey) === null) return;
    queryClient.setQueryData(sessionQuery.queryKey, null);
    onSignedOut();
  };
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') look(event.action.error);
  });
  queryClient.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') look(event.action.error);
  });
}

/** May the operator do this? Only for what is shown; the server decides. */
export function useMay(permission: Permission): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.operator.permissions.includes(permission) ?? false;
}
