import { CopyButton } from './copy-button.tsx';
import classes from './copyable.module.css';

/** An id, key or code in monospace with its copy button. Long values are cut by the box, never by the clipboard. */
export function Copyable({ value, what }: { value: string; what: string }) {
  return (
    <span className={classes.box}>
      <code className={classes.value}>{value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}
