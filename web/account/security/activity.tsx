/** The account's timeline, which lists sign-ins and changes, newest first. */
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { WithAddresses } from '../addresses.tsx';
import { deviceOf } from '../form/fields.ts';
import { Waiting } from '../parts.tsx';
import { providerName } from '../provider-name.ts';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
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
  const isInTitle = /^(?:app|api_key)_/.test(event.kind);
  const name = typeof details.name === 'string' && !isInTitle ? details.name : '';
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

/** Returns the text for an event in the timeline of the account. */
interface SecurityEvent {
  readonly id: string;
  readonly kind: string;
  readonly actor: 'user' | 'operator';
  readonly details: Readonly<Record<string, unknown>>;
  readonly user_agent: string | null;
  /** The approximate address of the client. */
  readonly network: string | null;
  readonly created_at: string;
}

function eventText({ kind, details }: SecurityEvent): string {
  const detail = (name: string): string => (typeof details[name] === 'string' ? details[name] : '');
  switch (kind) {
    case 'sign_in':
      return signInText(detail('method'), detail('provider'));
    case 'password_changed':
      return details.first === true ? t('activity.password_set') : t('activity.password_changed');
    case 'email_changed': {
      const [from, to] = [detail('old_email'), detail('new_email')];
      if (from === '') return t('activity.email_added', { to });
      return to === '' ? t('activity.email_removed', { from }) : t('activity.email_changed', { from, to });
    }
    case 'phone_changed': {
      const [from, to] = [detail('old_phone'), detail('new_phone')].map((phone) => phone && `+${phone}`);
      if (!from) return t('activity.phone_added', { to });
      return to ? t('activity.phone_changed', { from, to }) : t('activity.phone_removed', { from });
    }
    case 'factor_added':
      return t('activity.factor_added');
    case 'factor_removed':
      return t('activity.factor_removed');
    case 'factor_removal_requested':
      return t('activity.factor_removal_requested');
    case 'factor_removal_canceled':
      return t('activity.factor_removal_canceled');
    case 'factors_reset':
      return t('activity.factors_reset');
    case 'recovery_code_used':
      return t('activity.recovery_code_used');
    case 'recovery_codes_created':
      return t('activity.recovery_codes_created');
    case 'passkey_added':
      return t('activity.passkey_added');
    case 'passkey_removed':
      return t('activity.passkey_removed');
    case 'identity_linked':
      return t('activity.identity_linked', { provider: providerName(detail('provider')) });
    case 'identity_unlinked':
      return t('activity.identity_unlinked', { provider: providerName(detail('provider')) });
    case 'app_connected':
      return t('activity.app_connected', { app: detail('name') || detail('client_id') });
    case 'app_disconnected':
      return t('activity.app_disconnected', { app: detail('name') || detail('client_id') });
    case 'api_key_created':
      return t('activity.api_key_created', { name: detail('name') });
    case 'api_key_revoked':
      return t('activity.api_key_revoked', { name: detail('name') });
    case 'sessions_ended':
      if (details.scope === 'others') return t('activity.sessions_ended-others');
      return details.scope === 'one' ? t('activity.sessions_ended-one') : t('activity.sessions_ended');
    case 'locked':
      return t('activity.locked');
    case 'unlocked':
      return t('activity.unlocked');
    case 'banned':
      return t('activity.banned');
    case 'unbanned':
      return t('activity.unbanned');
    default:
      return t('activity.secured');
  }
}

function signInText(method: string, provider: string): string {
  if (method === 'password') return t('activity.sign_in-password');
  if (method === 'invite') return t('activity.sign_in-invite');
  if (method === 'passkey') return t('activity.sign_in-passkey');
  if (method === 'anonymous') return t('activity.sign_in-anonymous');
  if (method.startsWith('sso') || provider.startsWith('sso:')) return t('activity.sign_in-sso');
  if (method === 'web3' || provider === 'web3') return t('activity.sign_in-wallet');
  if (provider !== '') return t('activity.sign_in-provider', { provider: providerName(provider) });
  return ['otp', 'magiclink', 'recovery'].includes(method) || method.startsWith('email')
    ? t('activity.sign_in-otp')
    : t('activity.sign_in');
}
