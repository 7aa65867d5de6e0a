import type { ReactNode } from 'react';
import classes from './card.module.css';

/** Arranges cards in a column with a readable width. */
export function Cards({ children }: { children: ReactNode }) {
  return (
    <div className={classes.scroll}>
      <div className={classes.cards}>{children}</div>
    </div>
  );
}

/** A section of a page, with a title, a description, actions and content. */
export function Card({
  title,
  text,
  tools,
  children,
  flush = false,
}: {
  title: string;
  text?: ReactNode;
  tools?: ReactNode;
  children?: ReactNode;
  /** Whether the content provides its own padding, as a table does. */
  flush?: boolean;
}) {
  return (
    <section className={classes.card} aria-label={title} data-flush={flush || undefined}>
      <div className={classes.head}>
        <div className={classes.words}>
          <h2 className={classes.title}>{title}</h2>
          {text === undefined ? null : <p className={classes.text}>{text}</p>}
        </div>
        {tools === undefined ? null : <div className={classes.tools}>{tools}</div>}
      </div>
      {children === undefined || children === null ? null : <div className={classes.body}>{children}</div>}
    </section>
  );
}
