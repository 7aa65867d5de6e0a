import { CopyButton } from './copy-button.tsx';
import classes from './copyable.module.css';

/**
 * Shows an ID, key or code in monospace with a copy button. A long value is truncated on screen, but the button copies
 * the complete value.
 */
export function Copyable({ value, what }: { value: string; what: string }) {
  return (
    <span className={classes.box}>
      <code className={classes.value}>{value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}
