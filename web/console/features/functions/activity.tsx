/** Shows a function's requests, errors and durations in the last hour, as small charts and as a table. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AskedNote } from '../../components/asked-nodes.tsx';
import list from '../../components/list.module.css';
import { millis } from '../../components/millis.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SparkBars } from '../../components/spark-bars.tsx';
import classes from './activity.module.css';
import { type ActivityMinute, activityQuery } from './api.ts';
import { t } from './text.ts';

const msText = (ms: number): string => t('calls.ms', { ms: millis(ms) });

export function Activity({ slug }: { slug: string }) {
  const { data, error } = useQuery(activityQuery(slug));
  return (
    <section className={classes.box} aria-label={t('activity.title')}>
      <h3 className={classes.title}>{t('activity.title')}</h3>
      {error === null ? null : <ProblemBox error={error} />}
      <AskedNote nodes={data?.nodes} />
      {data === undefined ? null : data.minutes.every(({ requests }) => requests === 0) ? (
        <p className={classes.dim}>{t('activity.none')}</p>
      ) : (
        <Charts minutes={data.minutes} />
      )}
    </section>
  );
}

function Charts({ minutes }: { minutes: readonly ActivityMinute[] }) {
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0);
  const errors = minutes.reduce((sum, minute) => sum + minute.errors, 0);
  const slowest = Math.max(...minutes.map(({ p95Ms }) => p95Ms ?? 0));
  const rate = errors / requests;
  const rateText = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }).format(rate);
  const busy = minutes.filter((minute) => minute.requests > 0);
  return (
    <>
      <div className={classes.charts}>
        <Chart title={t('activity.requests')} value={t('activity.count', { count: requests })}>
          <SparkBars
            label={t('activity.requests-label', { requests, errors })}
            series={[
              { values: minutes.map((minute) => minute.errors), color: 'var(--plinth-danger)' },
              {
                values: minutes.map((minute) => minute.requests - minute.errors),
                color: 'var(--plinth-link)',
              },
            ]}
          />
        </Chart>
        <Chart title={t('activity.error-rate')} value={rateText}>
          <SparkBars
            label={t('activity.error-rate-label', { rate: rateText })}
            series={[
              {
                values: minutes.map((minute) =>
                  minute.requests === 0 ? 0 : minute.errors / minute.requests,
                ),
                color: 'var(--plinth-danger)',
              },
            ]}
          />
        </Chart>
        <Chart title={t('activity.p95')} value={t('activity.up-to', { time: msText(slowest) })}>
          <SparkBars
            label={t('activity.p95-label', { time: msText(slowest) })}
            series={[{ values: minutes.map(({ p95Ms }) => p95Ms ?? 0), color: 'var(--plinth-link)' }]}
          />
        </Chart>
      </div>
      <details className={classes.details}>
        <summary>{t('activity.table')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <section className={classes.scroll} tabIndex={0} aria-label={t('activity.table')}>
          <table className={list.table}>
            <caption className="visually-hidden">{t('activity.title')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('calls.time')}</th>
                <th scope="col">{t('activity.requests')}</th>
                <th scope="col">{t('activity.errors')}</th>
                <th scope="col">{t('activity.p50')}</th>
                <th scope="col">{t('activity.p95')}</th>
              </tr>
            </thead>
            <tbody>
              {busy.toReversed().map((minute) => (
                <tr key={minute.at}>
                  <td>
                    <time dateTime={new Date(minute.at).toISOString()}>
                      {new Date(minute.at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
                    </time>
                  </td>
                  <td>{minute.requests}</td>
                  <td>{minute.errors}</td>
                  <td>{msText(minute.p50Ms ?? 0)}</td>
                  <td>{msText(minute.p95Ms ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

function Chart({ title, value, children }: { title: string; value: string; children: ReactNode }) {
  return (
    <div className={classes.chart}>
      <p className={classes.dim}>{title}</p>
      <p className={classes.value}>{value}</p>
      {children}
    </div>
  );
}
