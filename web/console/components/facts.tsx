import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type FactsLayout = 'rows' | 'columns' | 'stacked';

/**
 * A description list. `rows` uses labels of a fixed width, `columns` makes the label column as wide as the longest
 * label, and `stacked` shows each label above its value.
 */
export function Facts({
  layout = 'rows',
  className = '',
  children,
}: {
  layout?: FactsLayout;
  className?: string | undefined;
  children: ReactNode;
}) {
  return <dl className={`${classes.facts} ${classes[layout]} ${className}`}>{children}</dl>;
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
