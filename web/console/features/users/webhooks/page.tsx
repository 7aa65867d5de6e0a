/** The page for the webhooks that receive events about users, with their deliveries. */
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { IconSettings, IconWebhook } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Card, Cards } from '../../../components/frame/card.tsx';
import { PageHead, ScrollPage } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { LoadMore } from '../../../components/load-more.tsx';
import { MissingNote } from '../../../components/missing-note.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { UserTabs } from '../user-tabs.tsx';
import { type DeliveryRow, type DeliverySearch, deliveriesQuery, webhooksQuery } from './api.ts';
import { DeliveryPanel } from './delivery-panel.tsx';
import { Endpoints } from './endpoints.tsx';
import { DeliveryStatus } from './status-tag.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/users/webhooks');

export function UserWebhooksPage() {
  const { id, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const maySee = useMay('secrets');
  const { data, error } = useQuery(webhooksQuery);
  const close = (): void => void navigate({ search: filter });
  return (
    <>
      <PageHead title={t('webhooks.title')}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconSettings size={15} aria-hidden />}
          renderRoot={(props) => <Link to="/settings" search={{ section: 'webhooks' }} {...props} />}
        >
          {t('webhooks.settings')}
        </Button>
      </PageHead>
      <UserTabs />
      <ScrollPage>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : data.isPossible ? (
          <Cards>
            {data.webhooks.length === 0 ? (
              <EmptyState
                icon={<IconWebhook size={22} stroke={1.75} />}
                title={t('webhooks.none')}
                text={t('webhooks.none-text')}
              />
            ) : (
              <Endpoints webhooks={data.webhooks} />
            )}
            <Deliveries filter={filter} names={data.webhooks.map(({ name }) => name)} />
          </Cards>
        ) : (
          <EmptyState
            icon={<IconWebhook size={22} stroke={1.75} />}
            title={t('webhooks.impossible')}
            text={t('webhooks.impossible-text')}
          />
        )}
      </ScrollPage>
      {id === undefined || !maySee ? null : isDeliveryId(id) ? (
        <DeliveryPanel key={id} id={id} onClose={close} />
      ) : (
        <MissingNote title={t('webhooks.not-found', { id })} onBack={close} />
      )}
    </>
  );
}

/** Whether the text can be an ID, which is a `bigint`. */
const isDeliveryId = (id: string): boolean => /^[1-9]\d{0,17}$/.test(id);

function Deliveries({ filter, names }: { filter: DeliverySearch; names: readonly string[] }) {
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveriesQuery(filter),
  );
  const deliveries = data?.pages.flatMap((page) => page.deliveries);
  const change = (next: DeliverySearch): void => void navigate({ search: next, replace: true });
  const { webhook, failed } = filter;
  return (
    <Card
      title={t('webhooks.deliveries')}
      text={t('webhooks.deliveries-text')}
      flush
      tools={
        <>
          {names.length < 2 ? null : (
            <NativeSelect
              size="xs"
              aria-label={t('webhooks.filter')}
              value={webhook ?? ''}
              data={[{ value: '', label: t('webhooks.all') }, ...names]}
              onChange={({ currentTarget: { value } }) =>
                change({ ...(value === '' ? {} : { webhook: value }), ...(failed ? { failed } : {}) })
              }
            />
          )}
          <Checkbox
            size="xs"
            label={t('webhooks.failed-only')}
            checked={failed === true}
            onChange={({ currentTarget: { checked } }) =>
              change({ ...(webhook === undefined ? {} : { webhook }), ...(checked ? { failed: true } : {}) })
            }
          />
        </>
      }
    >
      {error === null ? null : <ProblemBox error={error} />}
      {deliveries === undefined ? null : deliveries.length === 0 ? (
        <p className={list.none}>
          {t(failed ? 'webhooks.deliveries-none-failed' : 'webhooks.deliveries-none')}
        </p>
      ) : (
        <table className={list.table}>
          <caption className="visually-hidden">{t('webhooks.deliveries')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('webhooks.event')}</th>
              <th scope="col">{t('webhooks.status')}</th>
              <th scope="col" className={list.wide}>
                {t('webhooks.name')}
              </th>
              <th scope="col" className={list.wide}>
                {t('webhooks.attempts')}
              </th>
              <th scope="col">{t('webhooks.when')}</th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} filter={filter} />
            ))}
          </tbody>
        </table>
      )}
      <LoadMore
        label={t('webhooks.older')}
        hasMore={hasNextPage}
        isBusy={isFetchingNextPage}
        isCompact
        onMore={() => void fetchNextPage()}
      />
    </Card>
  );
}

function Row({ delivery, filter }: { delivery: DeliveryRow; filter: DeliverySearch }) {
  const maySee = useMay('secrets');
  const { id, type, endpoint, attempts, happenedAt } = delivery;
  return (
    <tr>
      <td>
        {maySee ? (
          <Link
            to="/users/webhooks"
            search={{ ...filter, id }}
            className={list.main}
            aria-label={t('webhooks.open', { type })}
          >
            {type}
          </Link>
        ) : (
          type
        )}
      </td>
      <td>
        <DeliveryStatus {...delivery} />
      </td>
      <td className={list.wide}>{endpoint}</td>
      <td className={`${list.wide} ${list.dim}`}>{attempts}</td>
      <td className={list.dim}>
        <Moment at={happenedAt} relative />
      </td>
    </tr>
  );
}
