/** Waits for the server while it isn't responding, for example during a restart. */
import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../lib/api.ts';
import { consoleUrl } from './route.ts';

const retryMs = 2000;

let waiting: Promise<boolean> | undefined;

/** Resolves once the server responds. Resolves to true if the first request failed. All callers share the requests. */
export function untilReachable(): Promise<boolean> {
  waiting ??= poll().finally(() => {
    waiting = undefined;
  });
  return waiting;
}

async function poll(): Promise<boolean> {
  for (let failures = 0; ; failures++) {
    if (await isReachable()) return failures > 0;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Any response counts, except the errors of a reverse proxy whose server is down. */
const isReachable = (): Promise<boolean> =>
  fetch(consoleUrl('GET /session'), { cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  );

/** Repeats the queries that failed because the server didn't respond, as soon as the server responds again. */
export function watchConnection(queryClient: QueryClient): void {
  const isLost = (error: unknown): boolean => error instanceof ApiError && error.code === 'network';
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error' || !isLost(event.action.error)) return;
    void untilReachable().then((wasDown) => {
      if (wasDown)
        void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => isLost(state.error) });
    });
  });
}
