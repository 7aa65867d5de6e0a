import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

/** Shown in place of missing content. Explains the page's purpose and the next step. */
export function EmptyState({
  icon,
  title,
  text,
  isPage = false,
  children,
}: {
  icon: ReactNode;
  title: string;
  text: string;
  /** Whether the title is the page's heading. */
  isPage?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className={classes.box}>
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
      {isPage ? <h1 className={classes.title}>{title}</h1> : <h2 className={classes.title}>{title}</h2>}
      <p className={classes.text}>{text}</p>
      {children}
    </div>
  );
}
