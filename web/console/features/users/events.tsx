/** Shows the same timeline of a user's account that the user sees on the Account pages. */
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { UserEvent } from '../../../../src/pages/console/users/contract.ts';
import { userQuery } from '../../api/queries.ts';
import { fetchConsole } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { Moment } from '../../components/moment.tsx';
import { messageOf } from '../../components/problem-box.tsx';
import { deviceOf } from './group-sessions.ts';
import { t } from './text.ts';
import classes from './user-panel.module.css';

export function Events({ user }: { user: User }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...userQuery(user.id).queryKey, 'events'],
    queryFn: ({ pageParam, signal }) =>
      fetchConsole('GET /users/:id/events', {
        params: { id: user.id },
        query: pageParam === undefined ? {} : { before: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    retry: false,
  });
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <section>
      <div className={classes.sectionHead}>
        <h3 className={classes.title}>{t('users.events')}</h3>
      </div>
      {error === null ? null : <p className={classes.dim}>{messageOf(error)}</p>}
      {data !== undefined && events.length === 0 ? (
        <p className={classes.dim}>{t('users.no-events')}</p>
      ) : null}
      {events.length === 0 ? null : (
        <ul className={classes.list}>
          {events.map((event) => (
            <li key={event.id}>
              <span className={classes.two}>
                <span className={classes.clip}>{titleOf(event)}</span>
                <span className={classes.dim}>
                  {[
                    deviceOf(event.user_agent) ?? event.user_agent,
                    event.network,
                    event.actor === 'operator' ? t('users.event-operator') : '',
                  ]
                    .filter(Boolean)
                    .map((part) => `${part} · `)
                    .join('')}
                  <Moment at={event.created_at} relative />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage ? (
        <Button
          size="compact-xs"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t('users.events-older')}
        </Button>
      ) : null}
    </section>
  );
}

const titles: Readonly<Record<string, string>> = {
  sign_in: t('users.event.sign_in'),
  password_changed: t('users.event.password_changed'),
  email_changed: t('users.event.email_changed'),
  phone_changed: t('users.event.phone_changed'),
  factor_added: t('users.event.factor_added'),
  factor_removed: t('users.event.factor_removed'),
  factor_removal_requested: t('users.event.factor_removal_requested'),
  factor_removal_canceled: t('users.event.factor_removal_canceled'),
  factors_reset: t('users.event.factors_reset'),
  recovery_code_used: t('users.event.recovery_code_used'),
  recovery_codes_created: t('users.event.recovery_codes_created'),
  passkey_added: t('users.event.passkey_added'),
  passkey_removed: t('users.event.passkey_removed'),
  identity_linked: t('users.event.identity_linked'),
  identity_unlinked: t('users.event.identity_unlinked'),
  app_connected: t('users.event.app_connected'),
  app_disconnected: t('users.event.app_disconnected'),
  api_key_created: t('users.event.api_key_created'),
  api_key_revoked: t('users.event.api_key_revoked'),
  sessions_ended: t('users.event.sessions_ended'),
  locked: t('users.event.locked'),
  unlocked: t('users.event.unlocked'),
  secured: t('users.event.secured'),
  banned: t('users.event.banned'),
  unbanned: t('users.event.unbanned'),
};

/** Returns the event and its details, such as the sign-in method. IDs are omitted. */
function titleOf({ kind, details }: UserEvent): string {
  const facts = Object.entries(details)
    .filter(
      ([name, value]) => value !== '' && name !== 'new_device' && name !== 'first' && !name.endsWith('_id'),
    )
    .map(([, value]) => String(value));
  const isNew = details.new_device === true ? [t('users.event-new-device')] : [];
  const title =
    kind === 'password_changed' && details.first === true ? t('users.event.password_set') : titles[kind];
  return [title ?? kind, ...facts, ...isNew].join(' · ');
}
