import { type ReactNode, useId } from 'react';
import classes from './page.module.css';

export function Card({
  title,
  note,
  wide = false,
  children,
}: {
  title: string;
  note?: string;
  wide?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={classes.card} data-wide={wide || undefined} aria-labelledby={id}>
      <div className={classes.cardHead}>
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <span className={classes.note}>{note}</span>}
      </div>
      {children}
    </section>
  );
}
