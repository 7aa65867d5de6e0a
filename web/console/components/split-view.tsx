import type { ReactNode } from 'react';
import classes from './split-view.module.css';

/** A list beside the details of its open item. A narrow window shows one of the two. */
export function SplitView({
  list,
  isOpen,
  isScrolling = false,
  className = '',
  children,
}: {
  list: ReactNode;
  isOpen: boolean;
  /** Whether the details scroll as a whole. Otherwise they fill the height and scroll inside. */
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

/** The links of a split view's list. */
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
