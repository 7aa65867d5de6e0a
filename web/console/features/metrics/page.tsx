/** The metrics page, which shows request rates, errors and durations. */
import { NativeSelect } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { AskedNote, NodeSelect } from '../../components/asked-nodes.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { rangeText } from '../logs/filters.tsx';
import { msText } from '../logs/parts.tsx';
import { t } from '../logs/text.ts';
import { type MetricsReport, metricsQuery, ranges } from './api.ts';
import classes from './page.module.css';
import { durationChart, requestChart } from './series.ts';

const LineChart = lazyPart(() => import('./chart.tsx'));
const route = getRouteApi('/app/metrics');

export function MetricsPage() {
  const { minutes = 60, service, node } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(metricsQuery(minutes, node));
  const names = data?.services.map((one) => one.service) ?? [];
  const shown = service !== undefined && names.includes(service) ? service : names[0];
  return (
    <>
      <PageHead title={t('metrics.title')}>
        <NodeSelect
          nodes={data?.nodes}
          value={node}
          onChange={(next) =>
            void navigate({
              search: ({ node: _previous, ...rest }) => (next === '' ? rest : { ...rest, node: next }),
              replace: true,
            })
          }
        />
        <NativeSelect
          size="xs"
          aria-label={t('metrics.range')}
          value={String(minutes)}
          data={ranges.map((value) => ({ value: String(value), label: rangeText(value) }))}
          onChange={(event) => {
            const next = Number(event.currentTarget.value);
            void navigate({ search: (previous) => ({ ...previous, minutes: next }), replace: true });
          }}
        />
      </PageHead>
      <AskedNote nodes={data?.nodes} />
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={10} />
          ) : null
        ) : shown === undefined ? (
          <EmptyState
            icon={<IconChartLine size={22} stroke={1.75} />}
            title={t('metrics.none-title')}
            text={t('metrics.none-text')}
          />
        ) : (
          <>
            <Card title={t('metrics.services')} text={t('metrics.services-text')} flush>
              <ServiceTable report={data} minutes={minutes} />
            </Card>
            <Card title={t('metrics.requests')} text={t('metrics.requests-text')}>
              <Suspense fallback={<div className={classes.chart} />}>
                <LineChart chart={requestChart(data)} what={t('metrics.requests')} />
              </Suspense>
            </Card>
            <Card
              title={t('metrics.durations')}
              text={t('metrics.durations-text')}
              tools={
                <NativeSelect
                  size="xs"
                  aria-label={t('metrics.service')}
                  value={shown}
                  data={names}
                  onChange={(event) => {
                    const next = event.currentTarget.value;
                    void navigate({ search: (previous) => ({ ...previous, service: next }), replace: true });
                  }}
                />
              }
            >
              <Suspense fallback={<div className={classes.chart} />}>
                <LineChart chart={durationChart(data, shown)} what={t('metrics.durations')} />
              </Suspense>
            </Card>
          </>
        )}
      </Cards>
    </>
  );
}

function ServiceTable({ report, minutes }: { report: MetricsReport; minutes: number }) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('metrics.services')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('metrics.service')}</th>
          <th scope="col" className={classes.number}>
            {t('metrics.requests')}
          </th>
          <th scope="col" className={`${list.wide} ${classes.number}`}>
            {t('metrics.per-minute')}
          </th>
          <th scope="col" className={`${list.wide} ${classes.number}`}>
            {t('metrics.refused')}
          </th>
          <th scope="col" className={classes.number}>
            {t('metrics.failed')}
          </th>
          <th scope="col" className={`${list.wide} ${classes.number}`}>
            {t('metrics.p50')}
          </th>
          <th scope="col" className={classes.number}>
            {t('metrics.p95')}
          </th>
        </tr>
      </thead>
      <tbody>
        {report.services.map(({ service, total: { requests, refused, failed, p50, p95 } }) => (
          <tr key={service}>
            <td>
              <Link to="/logs" search={{ service }} className={list.main}>
                {service}
              </Link>
            </td>
            <td className={classes.number}>{requests.toLocaleString('en')}</td>
            <td className={`${list.wide} ${classes.number}`}>{(requests / minutes).toFixed(1)}</td>
            <td className={`${list.wide} ${classes.number}`}>{refused}</td>
            <td className={classes.number} data-fault={failed > 0 || undefined}>
              {failed}
            </td>
            <td className={`${list.wide} ${classes.number}`}>{p50 === null ? '—' : msText(p50)}</td>
            <td className={classes.number}>{p95 === null ? '—' : msText(p95)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
