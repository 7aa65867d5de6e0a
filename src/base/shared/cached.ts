/**
 * Returns a function that caches a result for `lifetimeMs`. Calls at the same time share one result. Errors aren't cached.
 * `now` is the time in milliseconds.
 */
export function cached<T>(
  lifetimeMs: number,
  call: () => Promise<T>,
  now = () => performance.now(),
): () => Promise<T> {
  let latest: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    const at = now();
    if (latest !== undefined && at - latest.at < lifetimeMs) return latest.result;
    const result = call();
    const entry = { at, result };
    latest = entry;
    result.catch(() => {
      if (latest === entry) latest = undefined;
    });
    return result;
  };
}

/**
 * The interval at which a service repeats a check of its tables for the readiness report. The database module checks
 * every second whether PostgreSQL responds, and tables rarely disappear.
 */
export const tableCheckMs = 30_000;
