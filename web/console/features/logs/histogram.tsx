/**
 * Shows how many entries there are in each step of the range. A click on a bar, or Enter on it, narrows the range to the
 * bar. Dragging, or Shift with arrow keys, selects several bars.
 */
import { useInfiniteQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { ProblemBox } from '../../components/problem-box.tsx';
import { chartQuery, type LogChart, type LogFilter } from './api.ts';
import classes from './histogram.module.css';
import { chartOf } from './merge-parts.ts';
import { SearchedNote } from './searched-note.tsx';
import { t } from './text.ts';

const series = ['succeeded', 'lines', 'refused', 'warnings', 'failed'] as const;

const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
export const timeText = (at: number): string => moment.format(at);

export function Histogram({
  filter,
  onRange,
}: {
  filter: LogFilter;
  onRange: (since: number, until: number) => void;
}) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    chartQuery(filter),
  );
  const chart = chartOf(data?.pages.map(({ part }) => part) ?? []);
  if (error !== null) return <ProblemBox error={error} />;
  return (
    <section className={classes.histogram} aria-label={t('logs.chart')}>
      {chart === undefined ? (
        <div className={classes.bars} />
      ) : (
        <Bars key={`${chart.start} ${chart.stepMs}`} chart={chart} onRange={onRange} />
      )}
      {chart === undefined || chart.searchedTo === null ? null : (
        <SearchedNote
          text={t('logs.counted-to', { time: timeText(chart.searchedTo) })}
          action={t('logs.count-more')}
          isBusy={isFetchingNextPage}
          onMore={hasNextPage ? () => void fetchNextPage() : undefined}
        />
      )}
    </section>
  );
}

function Bars({ chart, onRange }: { chart: LogChart; onRange: (since: number, until: number) => void }) {
  const { start, stepMs, steps } = chart;
  const all = Array.from({ length: steps }, (_none, step) =>
    series.reduce((sum, name) => sum + (chart[name][step] ?? 0), 0),
  );
  const max = Math.max(1, ...all);
  /** The bar that has or had the focus, and the bar where the selection began. */
  const [at, setAt] = useState(steps - 1);
  const [anchor, setAnchor] = useState<number | undefined>();
  const bars = useRef<HTMLDivElement>(null);
  const [low, high] = anchor === undefined ? [-1, -1] : [Math.min(anchor, at), Math.max(anchor, at)];

  const choose = (from: number, to: number): void => {
    setAnchor(undefined);
    onRange(start + Math.min(from, to) * stepMs, start + (Math.max(from, to) + 1) * stepMs);
  };
  function walk(event: KeyboardEvent): void {
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: Math.max(0, at - 1),
      ArrowRight: Math.min(steps - 1, at + 1),
      Home: 0,
      End: steps - 1,
    };
    const target = targets[event.key];
    if (event.key === 'Escape' && anchor !== undefined) {
      event.stopPropagation();
      setAnchor(undefined);
      return;
    }
    if (target === undefined) return;
    event.preventDefault();
    setAnchor(event.shiftKey ? (anchor ?? at) : undefined);
    setAt(target);
    (bars.current?.children[target] as HTMLElement | undefined)?.focus();
  }
  return (
    <>
      <div
        ref={bars}
        className={classes.bars}
        role="toolbar"
        aria-label={t('logs.chart-keys')}
        onKeyDown={walk}
        onPointerLeave={() => setAnchor(undefined)}
      >
        {all.map((count, step) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity other than their position
            key={step}
            type="button"
            className={classes.bar}
            tabIndex={step === at ? 0 : -1}
            data-selected={(step >= low && step <= high) || undefined}
            aria-label={barText(chart, step, count)}
            title={barText(chart, step, count)}
            onFocus={() => setAt(step)}
            onPointerDown={(event) => {
              event.currentTarget.releasePointerCapture(event.pointerId);
              setAt(step);
              setAnchor(step);
            }}
            onPointerEnter={(event) => {
              if (event.buttons === 1 && anchor !== undefined) setAt(step);
            }}
            onPointerUp={() => {
              if (anchor !== undefined && anchor !== step) choose(anchor, step);
            }}
            onClick={() => choose(anchor ?? step, step)}
          >
            {series.map((name) => {
              const value = chart[name][step] ?? 0;
              return value === 0 ? null : (
                <span key={name} data-series={name} style={{ height: `${(value / max) * 100}%` }} />
              );
            })}
          </button>
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        <span>{timeText(start)}</span>
        <span className={classes.legend}>
          {series.map((name) => (
            <span key={name}>
              <i className={classes[name]} />
              {t(`logs.chart-${name}`)}
            </span>
          ))}
        </span>
        <span>{timeText(start + steps * stepMs)}</span>
      </div>
    </>
  );
}

function barText(
  { start, stepMs, refused, failed, warnings }: LogChart,
  step: number,
  count: number,
): string {
  return t('logs.chart-bar', {
    since: timeText(start + step * stepMs),
    until: timeText(start + (step + 1) * stepMs),
    count,
    refused: refused[step] ?? 0,
    failed: failed[step] ?? 0,
    warnings: warnings[step] ?? 0,
  });
}
