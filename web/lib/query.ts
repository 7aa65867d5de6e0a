/** Stores server data in this cache and nowhere else. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const mostRetries = 2;

/** A rejected request isn't retried. Only network errors, overload and server errors are. */
export function isWorthRetrying(failures: number, error: unknown): boolean {
  if (failures >= mostRetries || !(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5000, retry: isWorthRetrying, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
