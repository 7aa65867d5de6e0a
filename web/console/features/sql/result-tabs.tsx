/** The tabs of a script's results, as described in the ARIA Authoring Practices Guide. Arrow keys change the tab. */
import { type KeyboardEvent, useRef } from 'react';
import type { StatementResult } from './outcome.ts';
import classes from './results.module.css';
import { t } from './text.ts';

export const tabId = (base: string, index: number): string => `${base}-tab-${index}`;
export const panelId = (base: string): string => `${base}-panel`;

export function ResultTabs({
  base,
  text,
  results,
  current,
  onChange,
}: {
  /** The prefix of the elements' IDs. */
  base: string;
  text: string;
  results: readonly StatementResult[];
  current: number;
  onChange: (index: number) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  function walk(event: KeyboardEvent): void {
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (current + 1) % results.length,
      ArrowLeft: (current - 1 + results.length) % results.length,
      Home: 0,
      End: results.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onChange(target);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus();
  }
  return (
    <div ref={list} className={classes.tabs} role="tablist" aria-label={t('sql.results')} onKeyDown={walk}>
      {results.map((result, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: statements are only added at the end
          key={index}
          id={tabId(base, index)}
          type="button"
          role="tab"
          aria-selected={index === current}
          aria-controls={index === current ? panelId(base) : undefined}
          tabIndex={index === current ? 0 : -1}
          className={classes.tab}
          data-failed={result.error !== undefined || undefined}
          onClick={() => onChange(index)}
        >
          <span className={classes.tabNumber}>{index + 1}</span>
          <span className={classes.tabText}>
            {text.slice(result.start, result.end).replaceAll(/\s+/g, ' ').slice(0, 60)}
          </span>
          <span className={classes.tabFacts}>{factsOf(result)}</span>
        </button>
      ))}
    </div>
  );
}

function factsOf({ error, ms, columns, rows, more, tag }: StatementResult): string {
  if (error !== undefined) return t('sql.failed');
  if (ms === undefined) return '…';
  const count = more
    ? t('sql.rows-or-more', { count: rows.length })
    : columns.length === 0
      ? (tag ?? '')
      : t('sql.rows', { count: rows.length });
  return `${count} · ${t('sql.ms', { ms })}`;
}
