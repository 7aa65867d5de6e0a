import { type ReactNode, useEffect, useState } from 'react';

const delayMs = 150;

/** Shows its children only when there is still something to wait for after a moment: quick answers do not flicker. */
export function AfterDelay({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return shown ? children : null;
}
