/** Builds the charts of the history of statements. */
import { formatDateTime } from '../../../lib/i18n.ts';
import { lineColors } from '../../components/plot/style.ts';
import type { Chart } from '../metrics/series.ts';
import type { HistoryMark, HistoryPeriod, StatementHistory, StatementSeries } from './history-api.ts';
import { countText, durationText } from './parts.tsx';
import { t } from './text.ts';

/** The number of roles with lines. The time of the other roles is added up. */
const maxLines = 6;
const minuteMs = 60_000;
const [firstColor = '', secondColor = '', thirdColor = ''] = lineColors;

const timesOf = ({ start, stepMs, steps }: HistoryPeriod): number[] =>
  Array.from({ length: steps }, (_none, step) => (start + step * stepMs) / 1000);

const marksOf = ({ marks }: HistoryPeriod): NonNullable<Chart['marks']> =>
  marks.map((mark) => ({ time: mark.at / 1000, label: markText(mark) }));

/** Names the event, such as `Migration 20260101000000`. */
export function markText({ kind, name }: HistoryMark): string {
  return kind === 'start' ? t('history.mark-start') : t(`history.mark-${kind}`, { name });
}

export const markLabel = (mark: HistoryMark): string =>
  t('history.mark-at', { mark: markText(mark), time: formatDateTime(new Date(mark.at).toISOString()) });

/** Builds a chart of the execution time per minute, with one line per role. */
export function roleChart({ period, roles }: StatementHistory): Chart {
  const perMinute = minuteMs / period.stepMs;
  const shown = roles.slice(0, maxLines);
  const rest = roles.slice(maxLines);
  const sums = Array.from({ length: period.steps }, (_none, step) =>
    rest.reduce((sum, { totalMs }) => sum + (totalMs[step] ?? 0), 0),
  );
  const lines = [
    ...shown.map(({ role, totalMs }) => ({ label: role, values: totalMs })),
    ...(rest.length === 0 ? [] : [{ label: t('history.other-roles'), values: sums }]),
  ];
  return {
    times: timesOf(period),
    print: durationText,
    marks: marksOf(period),
    series: lines.map(({ label, values }, index) => ({
      label,
      color: lineColors[index % lineColors.length] ?? firstColor,
      values: values.map((ms) => ms * perMinute),
    })),
  };
}

/** Builds a chart of a statement's durations. */
export const durationChart = ({ period, points }: StatementSeries): Chart => ({
  times: timesOf(period),
  print: durationText,
  marks: marksOf(period),
  series: [
    { label: t('queries.mean'), color: firstColor, values: points.map((point) => point?.meanMs ?? null) },
    { label: t('history.p50'), color: secondColor, values: points.map((point) => point?.p50Ms ?? null) },
    { label: t('history.p95'), color: thirdColor, values: points.map((point) => point?.p95Ms ?? null) },
  ],
});

/** Builds a chart of a statement's calls and rows in each step. */
export const callChart = ({ period, points }: StatementSeries): Chart => ({
  times: timesOf(period),
  print: (count) => (count < 10 ? String(Math.round(count * 10) / 10) : countText(count)),
  marks: marksOf(period),
  series: [
    { label: t('queries.calls'), color: firstColor, values: points.map((point) => point?.calls ?? 0) },
    { label: t('queries.rows'), color: secondColor, values: points.map((point) => point?.rows ?? 0) },
  ],
});
