/** Shows figures about the project's traffic, errors, users and sizes. Each tile links to the page with the details. */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { overviewQuery } from '../../api/queries.ts';
import type { Payload } from '../../api/route.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type BarSeries, highestStep, SparkBars } from '../../components/spark-bars.tsx';
import { printSize } from '../storage/sizes.ts';
import classes from './overview.module.css';
import { t } from './text.ts';

type Figures = Payload<'GET /home/overview'>;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function OverviewTiles() {
  const { data, error } = useQuery(overviewQuery);
  if (data === undefined) return error === null ? <Placeholder /> : <ProblemBox error={error} />;
  return (
    <section className={classes.tiles} aria-label={t('overview.title')}>
      <Requests traffic={data.traffic} />
      <Errors traffic={data.traffic} />
      <Users users={data.users} />
      <Data database={data.database} storage={data.storage} />
    </section>
  );
}

const tileNames = ['requests', 'errors', 'users', 'data'] as const;

const Placeholder = () => (
  <div className={classes.tiles} aria-hidden>
    {tileNames.map((name) => (
      <div key={name} className={classes.tile}>
        <h2 className={classes.name}>{t(`overview.${name}`)}</h2>
      </div>
    ))}
  </div>
);

function Requests({ traffic }: { traffic: Figures['traffic'] }) {
  const { requests } = traffic;
  const series = [{ values: requests, color: 'var(--plinth-link)' }];
  return (
    <Tile
      name={t('overview.requests')}
      value={compact.format(sum(requests))}
      note={t('overview.last-hour')}
      chart={<Chart series={series} label="overview.chart-requests" step={stepText(traffic)} />}
      link={{ to: '/metrics', search: {} }}
      linkText={t('overview.see-metrics')}
    />
  );
}

function Errors({ traffic }: { traffic: Figures['traffic'] }) {
  const { refused, failed } = traffic;
  const counts = { failed: sum(failed), refused: sum(refused) };
  const series = [
    { values: failed, color: 'var(--plinth-danger)' },
    { values: refused, color: 'var(--plinth-warning)' },
  ];
  const all = counts.failed + counts.refused;
  return (
    <Tile
      name={t('overview.errors')}
      value={compact.format(all)}
      note={all === 0 ? t('overview.no-errors') : t('overview.error-parts', counts)}
      chart={<Chart series={series} label="overview.chart-errors" step={stepText(traffic)} />}
      link={{ to: '/logs', search: { status: counts.failed > 0 ? '5' : '4', minutes: '60' } }}
      linkText={t('overview.see-errors')}
    />
  );
}

function Users({ users }: { users: Figures['users'] }) {
  const link = { to: '/users', search: {} } as const;
  const linkText = t('overview.see-users');
  const name = t('overview.users');
  if (users === null)
    return <Tile name={name} note={t('overview.unknown')} link={link} linkText={linkText} />;
  const { total, isEstimate, perDay } = users;
  const value = compact.format(total);
  return (
    <Tile
      name={name}
      value={isEstimate ? t('overview.about', { value }) : value}
      note={perDay === null ? t('overview.no-days') : t('overview.new-users', { count: sum(perDay) })}
      chart={
        perDay === null ? null : (
          <Chart
            series={[{ values: perDay, color: 'var(--plinth-success)' }]}
            label="overview.chart-users"
            step=""
          />
        )
      }
      link={link}
      linkText={linkText}
    />
  );
}

function Data({ database, storage }: Pick<Figures, 'database' | 'storage'>) {
  return (
    <Tile
      name={t('overview.data')}
      {...(database === null ? {} : { value: printSize(database.bytes) })}
      note={
        database === null
          ? t('overview.unknown')
          : t('overview.database', { used: database.connections, max: database.maxConnections })
      }
      chart={storage === null ? null : <p className={classes.second}>{filesText(storage)}</p>}
      link={{ to: '/storage', search: {} }}
      linkText={t('overview.see-storage')}
    />
  );
}

function filesText({ bytes, objects, isEstimate }: NonNullable<Figures['storage']>): string {
  const size = printSize(bytes);
  return t('overview.storage', {
    bytes: isEstimate ? t('overview.about', { value: size }) : size,
    count: objects,
  });
}

function Tile({
  name,
  value = '—',
  note,
  chart = null,
  link,
  linkText,
}: {
  name: string;
  value?: string;
  note: string;
  chart?: ReactNode;
  link: LinkProps;
  linkText: string;
}) {
  return (
    <div className={classes.tile}>
      <div className={classes.head}>
        <h2 className={classes.name}>{name}</h2>
        <Link {...link} className={classes.link}>
          {linkText}
        </Link>
      </div>
      <p className={classes.value}>{value}</p>
      <p className={classes.note}>{note}</p>
      {chart}
    </div>
  );
}

function Chart({
  series,
  label,
  step,
}: {
  series: readonly BarSeries[];
  label: 'overview.chart-requests' | 'overview.chart-errors' | 'overview.chart-users';
  step: string;
}) {
  return (
    <div className={classes.chart}>
      <SparkBars series={series} label={t(label, { step, max: highestStep(series) })} />
    </div>
  );
}

const stepText = ({ stepMs }: Figures['traffic']): string =>
  t('overview.step', { seconds: Math.round(stepMs / 1000) });
