import { type ReactNode, useEffect, useState } from 'react';

const delayMs = 150;

/** Shows its children after a short delay. Without the delay, the children would flicker when a response is fast. */
export function AfterDelay({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return shown ? children : null;
}
