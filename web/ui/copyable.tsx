import { CopyButton } from './copy-button.tsx';
import classes from './copyable.module.css';

/** An ID, key or code in monospace with a copy button. Long values are truncated on screen but copied completely. */
export function Copyable({ value, what }: { value: string; what: string }) {
  return (
    <span className={classes.box}>
      <code className={classes.value}>{value}</code>
      <CopyButton value={value} what={what} />
    </span>
  );
}
