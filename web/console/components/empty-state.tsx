import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

/** Nothing here yet: says what this place is for and the one next step. */
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
  /** It is all the page has, and so names it. */
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
