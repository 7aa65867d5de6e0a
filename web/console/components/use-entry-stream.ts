/**
 * Entries of a log as the Console API streams them (`src/console/event-stream.ts`), the newest last. The browser itself
 * comes back when the connection is lost, but gives up at an answer that is no stream (HTML standard, section 9.2.3): a
 * server or proxy that is starting, an ended session, too many readers. Then it is asked for again here.
 */
import { useCallback, useEffect, useState } from 'react';

const firstRetryMs = 1000;
const longestRetryMs = 30_000;
/** More would only be scrolled past; the log has them. */
const keptEntries = 500;

interface Batch<Entry> {
  readonly entries: readonly Entry[];
  /** How many were left out, since they came too quickly. */
  readonly left: number;
}

export interface EntryStream<Entry> extends Batch<Entry> {
  readonly isLive: boolean;
  clear(): void;
}

/** Reconnects when the address changes. Without an address, nothing is followed. */
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
        retryMs = Math.min(retryMs * 2, longestRetryMs);
      };
      source.onmessage = ({ data }: MessageEvent<string>) => {
        const batch = JSON.parse(data) as Batch<Entry>;
        setBatch((former) => ({
          entries: [...former.entries, ...batch.entries].slice(-keptEntries),
          left: former.left + batch.left,
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
