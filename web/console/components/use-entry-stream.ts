/**
 * Entries of a log as the Console API streams them (`src/console/event-stream.ts`), the newest last. The browser itself
 * comes back when the connection is lost.
 */
import { useCallback, useEffect, useState } from 'react';

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

/** Begins anew whenever the path below `/console/api` changes; undefined: follows nothing. */
export function useEntryStream<Entry>(path: string | undefined): EntryStream<Entry> {
  const [{ entries, left }, setBatch] = useState<Batch<Entry>>({ entries: [], left: 0 });
  const [isLive, setLive] = useState(false);
  const clear = useCallback(() => setBatch({ entries: [], left: 0 }), []);
  useEffect(() => {
    clear();
    if (path === undefined) return;
    const source = new EventSource(`/console/api${path}`);
    source.onopen = () => setLive(true);
    source.onerror = () => setLive(false);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const batch = JSON.parse(data) as Batch<Entry>;
      setBatch((former) => ({
        entries: [...former.entries, ...batch.entries].slice(-keptEntries),
        left: former.left + batch.left,
      }));
    };
    return () => source.close();
  }, [path, clear]);
  return { entries, left, isLive, clear };
}
