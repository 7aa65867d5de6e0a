import { type ReactNode, useId } from 'react';
import classes from './security.module.css';

/** One section of the security page. */
export function Card(props: { title: string; badge?: ReactNode; intro?: string; children?: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.card} aria-labelledby={id}>
      <div className={classes.head}>
        <h2 id={id}>{props.title}</h2>
        {props.badge}
      </div>
      {props.intro === undefined ? null : <p className={classes.intro}>{props.intro}</p>}
      {props.children}
    </section>
  );
}

export function Badge({ tone, children }: { tone: 'good' | 'plain'; children: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}
