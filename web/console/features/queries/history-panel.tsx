/** Shows the history of a statement in its panel. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import type { StatementKey } from './api.ts';
import { defaultRange, type HistoryRange, historyRanges, statementHistoryQuery } from './history-api.ts';
import { callChart, durationChart } from './history-charts.ts';
import classes from './queries.module.css';
import { t } from './text.ts';

const LineChart = lazyPart(() => import('../metrics/chart.tsx'));

/** @param initialRange the period that the page behind the panel shows */
export function StatementHistorySection({
  statement,
  initialRange = defaultRange,
}: {
  statement: StatementKey;
  initialRange?: HistoryRange | undefined;
}) {
  const [range, setRange] = useState<HistoryRange>(initialRange);
  const { data, error } = useQuery(statementHistoryQuery(statement, range));
  return (
    <section className={classes.section} aria-label={t('history.title')}>
      <div className={classes.sectionHead}>
        <h3 className={classes.title}>{t('history.title')}</h3>
        <RangeSelect range={range} onChange={setRange} />
      </div>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={4} />
        ) : null
      ) : data.total === null ? (
        <p className={classes.note}>{t('history.no-calls')}</p>
      ) : (
        <Suspense fallback={<SkeletonLines lines={4} />}>
          <LineChart chart={durationChart(data)} what={t('history.durations')} />
          <p className={classes.note}>{t('history.estimate')}</p>
          <LineChart chart={callChart(data)} what={t('history.calls')} />
        </Suspense>
      )}
    </section>
  );
}

export const RangeSelect = ({
  range,
  onChange,
}: {
  range: HistoryRange;
  onChange: (range: HistoryRange) => void;
}) => (
  <NativeSelect
    size="xs"
    aria-label={t('history.period')}
    value={range}
    data={historyRanges.map((value) => ({ value, label: t(`history.range-${value}`) }))}
    onChange={(event) => {
      const next = historyRanges.find((known) => known === event.currentTarget.value);
      if (next !== undefined) onChange(next);
    }}
  />
);
