import type { ReactNode } from 'react';
import classes from './split-view.module.css';

/** Shows a list next to the details of the item that is open. A narrow window shows either the list or the details. */
export function SplitView({
  list,
  isOpen,
  isScrolling = false,
  className = '',
  children,
}: {
  list: ReactNode;
  isOpen: boolean;
  /** Whether the details scroll as a whole. Otherwise, they fill the height and their parts scroll. */
  isScrolling?: boolean;
  /** A class that sets `--list-width`. */
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className={`${classes.split} ${className}`} data-open={isOpen || undefined}>
      <div className={classes.list}>{list}</div>
      <div className={classes.detail} data-scroll={isScrolling || undefined}>
        {children}
      </div>
    </div>
  );
}

/** A list of links for a split view. */
export function ItemNav({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className={classes.items} aria-label={label}>
      {children}
    </nav>
  );
}

/** The attributes of a link in `ItemNav`. */
export function itemLink(isOpen: boolean) {
  return {
    className: classes.item,
    'aria-current': isOpen ? 'true' : undefined,
    'data-open': isOpen || undefined,
  } as const;
}

export function ItemName({ children }: { children: ReactNode }) {
  return <span className={classes.name}>{children}</span>;
}
