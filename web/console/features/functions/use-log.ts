/** The lines of a function as they come. The browser itself comes back when the connection is lost. */
import { useEffect, useState } from 'react';
import { functionPath, type LogLine } from './api.ts';

const mostLines = 500;

export interface Log {
  readonly lines: readonly LogLine[];
  readonly isLive: boolean;
  clear(): void;
}

export function useLog(slug: string): Log {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    const source = new EventSource(`/console/api${functionPath(slug)}/logs/live`);
    source.onopen = () => setLive(true);
    source.onerror = () => setLive(false);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const line = JSON.parse(data) as LogLine;
      setLines((former) => [...former.filter(({ id }) => id !== line.id), line].slice(-mostLines));
    };
    return () => source.close();
  }, [slug]);
  return { lines, isLive, clear: () => setLines([]) };
}
