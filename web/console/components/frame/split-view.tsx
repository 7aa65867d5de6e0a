import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { focusInside } from '../keyboard/nearest-focus.ts';
import classes from './split-view.module.css';

const step: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => Math.min(at + 1, count - 1),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/**
 * Handles the keys of the list. The up and down arrow keys move between the list's links. From a search field, the down
 * arrow key moves to the list. The right arrow key moves to the details, so keyboard users don't have to pass every
 * entry.
 */
function walkList(event: KeyboardEvent<HTMLElement>, detail: HTMLElement | null): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const target = event.target as HTMLElement;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(':is(nav, ul) a[href]')];
  const at = links.indexOf(target);
  const isSearch = target.matches('input[type=search]');
  if (at === -1 && !(isSearch && event.key === 'ArrowDown')) return;
  const next = step[event.key]?.(at, links.length);
  if (next === undefined && event.key !== 'ArrowRight') return;
  event.preventDefault();
  if (next === undefined) focusInside(detail);
  else links[next]?.focus();
}

/** Shows a list next to the details of the open item. A narrow window shows either the list or the details. */
export function SplitView({
  list,
  isOpen,
  isScrolling = false,
  className = '',
  children,
}: {
  list: ReactNode;
  isOpen: boolean;
  /**
   * Whether the details scroll as a whole. Otherwise, the details fill the height, and their parts scroll separately.
   */
  isScrolling?: boolean;
  /** A class that sets `--list-width`. */
  className?: string | undefined;
  children: ReactNode;
}) {
  const detail = useRef<HTMLDivElement>(null);
  return (
    <div className={`${classes.split} ${className}`} data-open={isOpen || undefined}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the links inside */}
      <div className={classes.list} onKeyDown={(event) => walkList(event, detail.current)}>
        {list}
      </div>
      <div
        ref={detail}
        className={classes.detail}
        data-scroll={isScrolling || undefined}
        data-details={isOpen || undefined}
        tabIndex={-1}
      >
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
