/**
 * Follows log entries that the Console's API streams (`src/pages/console/event-stream.ts`), newest last. The browser
 * reconnects after a lost connection, but not after an error response (HTML standard, section 9.2.3). This hook also
 * reconnects after error responses. They occur while the server starts, after the session has ended, and if there are
 * too many streams.
 */
import { useCallback, useEffect, useState } from 'react';

const firstRetryMs = 1000;
const maxRetryMs = 30_000;
/** The maximum number of entries in memory. Older entries are available in the log. */
const maxEntries = 500;

interface Batch<Entry> {
  readonly entries: readonly Entry[];
  /** The number of entries that were skipped because they arrived too quickly. */
  readonly left: number;
}

export interface EntryStream<Entry> extends Batch<Entry> {
  readonly isLive: boolean;
  clear(): void;
}

/** Subscribes to the entries at `url`. Reconnects when the URL changes. If the URL is undefined, doesn't subscribe. */
export function useEntryStream<Entry>(url: string | undefined): EntryStream<Entry> {
  const [{ entries, left }, setBatch] = useState<Batch<Entry>>({ entries: [], left: 0 });
  const [isLive, setLive] = useState(false);
  const clear = useCallback(() => setBatch({ entries: [], left: 0 }), []);
  useEffect(() => {
    clear();
    if (url === undefined) return;
    let source: EventSource;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let retryMs = firstRetryMs;
    const connect = (): void => {
      source = new EventSource(url);
      source.onopen = () => {
        retryMs = firstRetryMs;
        setLive(true);
      };
      source.onerror = () => {
        setLive(false);
        if (source.readyState !== EventSource.CLOSED) return;
        retry = setTimeout(connect, retryMs);
        retryMs = Math.min(retryMs * 2, maxRetryMs);
      };
      source.onmessage = ({ data }: MessageEvent<string>) => {
        const batch = JSON.parse(data) as Batch<Entry>;
        setBatch((previous) => ({
          entries: [...previous.entries, ...batch.entries].slice(-maxEntries),
          left: previous.left + batch.left,
        }));
      };
    };
    connect();
    return () => {
      clearTimeout(retry);
      source.close();
    };
  }, [url, clear]);
  return { entries, left, isLive, clear };
}
