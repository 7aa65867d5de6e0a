/** Entries as they come, newest first, while somebody looks. */
import { useEffect, useState } from 'react';
import { filterParams, type LogEntry, type LogFilter } from './api.ts';

/** More would only be scrolled past; the log has them. */
const keptEntries = 500;

export interface Tail {
  readonly entries: readonly LogEntry[];
  /** How many were left out, since they came too quickly. */
  readonly left: number;
}

const nothing: Tail = { entries: [], left: 0 };

export function useTail(isLive: boolean, filter: LogFilter): Tail {
  const address = `/console/api/logs/tail?${filterParams(filter)}`;
  const [tail, setTail] = useState<Tail>(nothing);
  useEffect(() => {
    setTail(nothing);
    if (!isLive) return;
    const source = new EventSource(address);
    source.onmessage = ({ data }) => {
      const { entries, left } = JSON.parse(data as string) as Tail;
      setTail((former) => ({
        entries: [...entries.toReversed(), ...former.entries].slice(0, keptEntries),
        left: former.left + left,
      }));
    };
    return () => source.close();
  }, [isLive, address]);
  return tail;
}
