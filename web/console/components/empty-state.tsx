import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

/** Nothing here yet: says what this place is for and the one next step. */
export function EmptyState({
  icon,
  title,
  text,
  children,
}: {
  icon: ReactNode;
  title: string;
  text: string;
  children?: ReactNode;
}) {
  return (
    <div className={classes.box}>
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
      <h2 className={classes.title}>{title}</h2>
      <p className={classes.text}>{text}</p>
      {children}
    </div>
  );
}
