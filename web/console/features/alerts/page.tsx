/** The page of alerts: who is told of problems, and which problems were reported. */
import { Button } from '@mantine/core';
import { IconBell, IconRefresh, IconSettings } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, parseSearchWith } from '@tanstack/react-router';
import { fetchConsole, useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead, ScrollPage } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type AlertRow, alertsKey, alertsQuery } from './api.ts';
import { Receivers } from './receivers.tsx';
import { t } from './text.ts';

export function AlertsPage() {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { data, error } = useQuery(alertsQuery);
  const check = useMutation({
    mutationFn: () => fetchConsole('POST /alerts/check'),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: alertsKey }),
  });
  const hasReceivers = data?.receivers.some(({ isEnabled }) => isEnabled) === true;
  return (
    <>
      <PageHead title={t('alerts.title')}>
        {mayWrite && hasReceivers ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={15} aria-hidden />}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            {t('alerts.check')}
          </Button>
        ) : null}
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconSettings size={15} aria-hidden />}
          renderRoot={(props) => <Link to="/settings" search={{ section: 'alerts' }} {...props} />}
        >
          {t('alerts.settings')}
        </Button>
      </PageHead>
      <ScrollPage>
        {error === null ? null : <ProblemBox error={error} />}
        {check.error === null ? null : <ProblemBox error={check.error} />}
        <p className="visually-hidden" role="status">
          {check.isSuccess ? t('alerts.checked') : ''}
        </p>
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : (
          <Cards>
            {data.receivers.length === 0 ? (
              <EmptyState
                icon={<IconBell size={22} stroke={1.75} />}
                title={t('alerts.none-receivers')}
                text={t('alerts.none-receivers-text')}
              />
            ) : (
              <Receivers receivers={data.receivers} />
            )}
            {data.receivers.length === 0 && data.alerts.length === 0 ? null : (
              <AlertTable alerts={data.alerts} />
            )}
          </Cards>
        )}
      </ScrollPage>
    </>
  );
}

function AlertTable({ alerts }: { alerts: readonly AlertRow[] }) {
  return (
    <Card title={t('alerts.list')} text={t('alerts.list-text')} flush>
      {alerts.length === 0 ? (
        <p className={list.none}>{t('alerts.list-none')}</p>
      ) : (
        <table className={list.table}>
          <caption className="visually-hidden">{t('alerts.list')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('alerts.problem')}</th>
              <th scope="col">{t('alerts.state')}</th>
              <th scope="col" className={list.wide}>
                {t('alerts.told')}
              </th>
              <th scope="col" className={list.wide}>
                {t('alerts.since')}
              </th>
              <th scope="col">{t('alerts.until')}</th>
            </tr>
          </thead>
          <tbody>
            {alerts.map((alert) => (
              <Row key={alert.id} alert={alert} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Row({ alert: { title, page, severity, since, resolvedAt, messages } }: { alert: AlertRow }) {
  const told = [...new Set(messages.map(({ receiver }) => receiver))].join(', ');
  return (
    <tr>
      <td title={title}>
        <PageLink page={page}>{title}</PageLink>
      </td>
      <td>
        {resolvedAt === null ? (
          <Tag tone={severity === 'error' ? 'danger' : 'warning'}>{t(`alerts.${severity}`)}</Tag>
        ) : (
          <Tag>{t('alerts.ended')}</Tag>
        )}
      </td>
      <td className={`${list.wide} ${list.dim}`}>{told === '' ? t('alerts.told-none') : told}</td>
      <td className={`${list.wide} ${list.dim}`}>
        <Moment at={since} relative />
      </td>
      <td className={list.dim}>
        {resolvedAt === null ? t('alerts.open') : <Moment at={resolvedAt} relative />}
      </td>
    </tr>
  );
}

/** A link to an address that the server has written, such as `/logs?level=warn`. */
function PageLink({ page, children }: { page: string; children: string }) {
  const [path = '/', query = ''] = page.split('?');
  return (
    <Link to={path} search={parseSearchWith(JSON.parse)(query)} className={list.main}>
      {children}
    </Link>
  );
}
