/** The metrics page, which shows request rates, errors and durations. */
import { Button, NativeSelect } from '@mantine/core';
import { IconChartLine, IconDownload } from '@tabler/icons-react';
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
import {
  type LoadReport,
  loadQuery,
  type MetricsReport,
  metricsExportUrl,
  metricsQuery,
  ranges,
} from './api.ts';
import classes from './page.module.css';
import {
  durationChart,
  errorChart,
  loadChart,
  loadCharts,
  type Marks,
  marksOf,
  requestChart,
} from './series.ts';

const LineChart = lazyPart(() => import('./chart.tsx'));
const route = getRouteApi('/app/metrics');

export function MetricsPage() {
  const { minutes = 60, service, node } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(metricsQuery(minutes, node));
  const { data: load } = useQuery(loadQuery(minutes, node));
  const marks = marksOf(load);
  const showLogs = (since: number, until: number, of?: string): void =>
    void navigate({
      to: '/logs',
      search: {
        ...(of === undefined ? {} : { service: of }),
        ...(node === undefined ? {} : { node }),
        since: new Date(since).toISOString(),
        until: new Date(until).toISOString(),
      },
    });
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
        <Button
          component="a"
          href={metricsExportUrl(minutes, node)}
          download
          size="compact-sm"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
        >
          {t('metrics.export')}
        </Button>
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
                <LineChart
                  chart={requestChart(data, marks)}
                  what={t('metrics.requests')}
                  onRange={showLogs}
                />
              </Suspense>
            </Card>
            <Card title={t('metrics.errors')} text={t('metrics.errors-text')}>
              <Suspense fallback={<div className={classes.chart} />}>
                <LineChart chart={errorChart(data, marks)} what={t('metrics.errors')} onRange={showLogs} />
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
                <LineChart
                  chart={durationChart(data, shown, marks)}
                  what={t('metrics.durations')}
                  onRange={(since, until) => showLogs(since, until, shown)}
                />
              </Suspense>
            </Card>
          </>
        )}
        {load === undefined ? null : <LoadCards load={load} marks={marks} onRange={showLogs} />}
      </Cards>
    </>
  );
}

/** The charts of the load. A chart without values isn't shown, such as in the first minute. */
function LoadCards({
  load,
  marks,
  onRange,
}: {
  load: LoadReport;
  marks: Marks;
  onRange: (since: number, until: number) => void;
}) {
  return loadCharts
    .filter(({ gauges }) => gauges.some((name) => load.gauges[name].average.some((value) => value !== null)))
    .map((each) => (
      <Card key={each.name} title={t(`metrics.${each.name}`)} text={t(`metrics.${each.name}-text`)}>
        <Suspense fallback={<div className={classes.chart} />}>
          <LineChart
            chart={loadChart(load, each, marks)}
            what={t(`metrics.${each.name}`)}
            onRange={onRange}
          />
        </Suspense>
      </Card>
    ));
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
