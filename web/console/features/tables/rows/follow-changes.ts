/** Follows the changes of the database while the page is visible. This module doesn't depend on React. */

/** The delay before the first request, because loading the page has priority. */
const startMs = 1000;
const pauseMs = 600;
const retryMs = 5000;
/**
 * The maximum share of the time that is spent reading rows. Without this limit, a slow view would keep the database
 * busy.
 */
const share = 0.2;
/**
 * The rows are labeled live if the pause between updates isn't longer than this. With a longer pause, changes appear
 * too late for this label.
 */
const maxLiveMs = 1200;

/**
 * `live` if changes appear immediately, and `off` if they don't appear. A number of seconds between updates if reading
 * the rows is slow.
 */
export type Live = 'live' | 'off' | number;

export interface Following {
  /** Resolves to the database's snapshot once it differs from `after`, or after some time. */
  readonly next: (after: string | undefined, signal: AbortSignal) => Promise<string>;
  /** Reads the visible rows again. */
  readonly refetch: () => Promise<void>;
  readonly onLive: (live: Live) => void;
}

/** Follows the changes until the returned function is called. */
export function followChanges({ next, refetch, onLive }: Following): () => void {
  let isStopped = false;
  let request: AbortController | undefined;
  let wake: (() => void) | undefined;

  function sleep(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
      if (ms !== undefined) setTimeout(resolve, ms);
    });
  }

  /** Waits for the next snapshot and reads the rows. Returns the time until the next request. */
  async function step(seen: { after?: string }): Promise<number> {
    request = new AbortController();
    const snapshot = await next(seen.after, request.signal);
    let pause = pauseMs;
    if (snapshot !== seen.after) {
      const startedAt = performance.now();
      await refetch();
      pause = Math.max(pause, (performance.now() - startedAt) / share);
    }
    seen.after = snapshot;
    onLive(pause > maxLiveMs ? Math.ceil(pause / 1000) : 'live');
    return pause;
  }

  async function follow(): Promise<void> {
    const seen: { after?: string } = {};
    let pause = startMs;
    while (!isStopped) {
      await sleep(pause);
      while (document.hidden && !isStopped) await sleep(undefined);
      if (isStopped) return;
      try {
        pause = await step(seen);
      } catch {
        pause = retryMs;
        if (!isStopped && !document.hidden) onLive('off');
      }
    }
  }

  const onVisibility = (): void => {
    if (document.hidden) request?.abort();
    else wake?.();
  };
  document.addEventListener('visibilitychange', onVisibility);
  void follow();
  return () => {
    isStopped = true;
    document.removeEventListener('visibilitychange', onVisibility);
    request?.abort();
    wake?.();
  };
}
