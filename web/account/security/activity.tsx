/** The account's timeline, which lists sign-ins and changes, newest first. */
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { WithAddresses } from '../addresses.tsx';
import { deviceOf } from '../fields.ts';
import { Waiting } from '../parts.tsx';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
import { eventText, type SecurityEvent } from './activity-text.ts';
import { Badge, Card, LoadFailed } from './card.tsx';
import { Meta } from './entry.tsx';
import classes from './security.module.css';

interface EventPage {
  readonly events: readonly SecurityEvent[];
  readonly next: string | null;
}

const pageSize = 6;

/** Shows the timeline. `isManaged` is set if the user's organization manages how the user signs in. */
export function ActivitySection({ user, isManaged }: { user: User; isManaged: boolean }) {
  const list = useInfiniteQuery({
    queryKey: ['activity', user.id],
    queryFn: ({ pageParam }) =>
      callAuth<EventPage>(`/user/security-events?limit=${pageSize}${pageParam && `&before=${pageParam}`}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const { refetch } = list;
  const shownFor = useRef(user);
  useEffect(() => {
    // Every change on this page reloads the user and adds an entry to the timeline.
    if (shownFor.current !== user) void refetch();
    shownFor.current = user;
  }, [user, refetch]);
  const events = list.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <Card title={t('activity.title')} intro={t(isManaged ? 'activity.intro-managed' : 'activity.intro')}>
      {list.isPending ? <Waiting /> : null}
      {list.isError ? <LoadFailed onAgain={() => void list.refetch()} /> : null}
      {list.isSuccess && events.length === 0 ? <p className={classes.meta}>{t('activity.none')}</p> : null}
      <ul className={classes.list}>
        {events.map((event) => (
          <EventItem key={event.id} event={event} />
        ))}
      </ul>
      {list.hasNextPage ? (
        <div className={classes.actions}>
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t('activity.older')}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}

function EventItem({ event }: { event: SecurityEvent }) {
  const { created_at: at, network, details } = event;
  const device = deviceOf(event.user_agent);
  const name = typeof details.name === 'string' && !event.kind.startsWith('app_') ? details.name : '';
  const parts = [
    name,
    event.actor === 'operator' ? t('activity.by-operator') : '',
    device === undefined ? '' : t('security.device', device),
    network === null ? '' : t('activity.near', { network }),
  ];
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          <span className={classes.long}>
            <WithAddresses text={eventText(event)} />
          </span>
          {details.new_device === true ? <Badge tone="plain">{t('activity.new-device')}</Badge> : null}
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <Meta parts={parts} />
        </span>
      </span>
      <time className={classes.meta} dateTime={at} title={formatDateTime(at)}>
        {formatRelative(at)}
      </time>
    </li>
  );
}
