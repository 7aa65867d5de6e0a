import { useEffect, useState } from 'react';

/** Returns the number of seconds until `timeMs` (milliseconds since the epoch), and counts down to 0. */
export function useSecondsUntil(timeMs: number | undefined): number {
  const [, setNow] = useState(0);
  const seconds = timeMs === undefined ? 0 : Math.max(0, Math.ceil((timeMs - Date.now()) / 1000));
  useEffect(() => {
    if (seconds === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 1000);
    return () => clearTimeout(timer);
  });
  return seconds;
}
