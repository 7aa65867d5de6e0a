import type { ReactNode } from 'react';
import { t } from '../../text.ts';
import classes from './page.module.css';

/** A page's header: its title and actions. */
export function PageHead({
  title,
  back,
  children,
}: {
  title: string;
  /** A link to the list that contains the page. */
  back?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={classes.head}>
      <title>{t('app.title', { page: title })}</title>
      {back}
      <h1 className={classes.title}>{title}</h1>
      <div className={classes.tools}>{children}</div>
    </div>
  );
}

/** A page that scrolls as a whole. */
export function ScrollPage({ children }: { children: ReactNode }) {
  return <div className={classes.scroll}>{children}</div>;
}
