import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messageOf } from '../../components/problem-box.tsx';
import { type Check, checksQuery, splitTable } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/realtime');
const icons = { stops: IconAlertTriangle, limits: IconInfoCircle, fine: IconCircleCheck } as const;

/** The delivery checks for the selected persona and channel. */
export function ChecksView() {
  const search = route.useSearch();
  const { data, error } = useQuery(checksQuery(search));
  return (
    <section className={classes.card} aria-label={t('checks.title')}>
      <div className={classes.head}>
        <h2>{t('checks.title')}</h2>
        {data === undefined ? null : (
          <span className={classes.note}>{t('checks.for', { role: data.role })}</span>
        )}
      </div>
      {error === null ? null : <p className={classes.note}>{messageOf(error)}</p>}
      <ul className={classes.checks}>
        {[...(data?.topic ?? []), ...(data?.table ?? [])].map((check) => (
          <CheckRow key={check.code} check={check} table={sqlName(search.table)} />
        ))}
      </ul>
    </section>
  );
}

/** The table's name as it is written in SQL. */
const sqlName = (table: string | undefined): string => {
  const name = splitTable(table);
  if (name === undefined) return '';
  return [name.schema, name.table]
    .map((part) => (/^[a-z_][a-z0-9_]*$/.test(part) ? part : `"${part.replaceAll('"', '""')}"`))
    .join('.');
};

function CheckRow({ check: { code, weight, policies }, table }: { check: Check; table: string }) {
  const Icon = icons[weight];
  return (
    <li className={classes.check} data-weight={weight}>
      <Icon size={16} aria-hidden />
      <span>
        <span className="visually-hidden">{t(`checks.${weight}`)}: </span>
        {t(`checks.${code}`, { policies: policies ?? 0, table })}
      </span>
    </li>
  );
}
