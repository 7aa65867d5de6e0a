/** Creates the cache for data from the server. No other part of the app stores this data. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const maxRetries = 2;

/** Whether a failed request should be retried. Only network errors, overload and server errors are retried. */
export function isWorthRetrying(failures: number, error: unknown): boolean {
  if (failures >= maxRetries || !(error instanceof ApiError)) return false;
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
