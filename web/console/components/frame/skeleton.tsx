import { type ReactNode, useEffect, useState } from 'react';
import { t } from '../../text.ts';
import classes from './skeleton.module.css';

/** Shows gray lines in place of content that is loading. */
export function SkeletonLines({ lines }: { lines: number }) {
  return (
    <AfterDelay>
      <div className={classes.lines} role="status">
        <span className="visually-hidden">{t('state.loading')}</span>
        {Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
          <span key={line} className={classes.line} style={{ width: `${88 - ((line * 37) % 45)}%` }} />
        ))}
      </div>
    </AfterDelay>
  );
}

const delayMs = 150;

/** Shows its children after a short delay. Without the delay, the children would flicker when a response is fast. */
function AfterDelay({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return shown ? children : null;
}
