import type { ReactNode } from 'react';
import classes from './tag.module.css';

export type TagTone = 'plain' | 'info' | 'success' | 'warning' | 'danger';

/** A small label for a type or a state. */
export function Tag({
  tone = 'plain',
  title,
  children,
}: {
  tone?: TagTone;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span className={classes.tag} data-tone={tone} title={title}>
      {children}
    </span>
  );
}
