import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messageOf } from '../../components/problem-box.tsx';
import { type Check, checksQuery } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/realtime');
const icons = { stops: IconAlertTriangle, limits: IconInfoCircle, fine: IconCircleCheck } as const;

/** The delivery checks for the selected persona and channel. */
export function ChecksView() {
  const { data, error } = useQuery(checksQuery(route.useSearch()));
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
          <CheckRow key={check.code} check={check} />
        ))}
      </ul>
    </section>
  );
}

function CheckRow({ check: { code, weight, policies } }: { check: Check }) {
  const Icon = icons[weight];
  return (
    <li className={classes.check} data-weight={weight}>
      <Icon size={16} aria-hidden />
      <span>
        <span className="visually-hidden">{t(`checks.${weight}`)}: </span>
        {t(`checks.${code}`, { policies: policies ?? 0 })}
      </span>
    </li>
  );
}
