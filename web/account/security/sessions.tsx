import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { signOut } from '../account-api.ts';
import { deviceOf } from '../fields.ts';
import { Waiting } from '../parts.tsx';
import { problemOf } from '../problems.ts';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
import { Badge, Card, LoadFailed } from './card.tsx';
import classes from './security.module.css';
import { SessionPolicy } from './session-policy.tsx';

interface SessionEntry {
  readonly id: string;
  readonly created_at: string;
  readonly refreshed_at: string | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
  readonly current: boolean;
}

const none: never[] = [];

/** All of the user's sessions, the current one first. Other sessions can be ended one by one or all together. */
export function SessionsSection({ user }: { user: User }) {
  const cache = useQueryClient();
  const queryKey = ['sessions', user.id];
  const [done, setDone] = useState<string>();
  const list = useQuery({
    queryKey,
    queryFn: async () => (await callAuth<{ sessions: SessionEntry[] }>('/user/sessions')).sessions,
  });
  const end = useMutation({
    mutationFn: async (id: string | 'others') => {
      setDone(undefined);
      if (id === 'others') await signOut('others');
      else await callAuth(`/user/sessions/${id}`, { method: 'DELETE' });
    },
    onSuccess: (_result, id) =>
      setDone(id === 'others' ? t('security.sessions-ended') : t('security.session-ended')),
    onSettled: () => cache.invalidateQueries({ queryKey }),
  });
  const sessions = [...(list.data ?? none)].sort(
    (one, other) =>
      Number(other.current) - Number(one.current) || lastSeen(other).localeCompare(lastSeen(one)),
  );
  return (
    <Card title={t('security.sessions')}>
      <SessionPolicy />
      <ErrorSummary problems={end.isError ? [problemOf(end.error)] : none} />
      <div role="status">{done === undefined ? null : <Notice tone="success">{done}</Notice>}</div>
      {list.isPending ? <Waiting /> : null}
      {list.isError ? <LoadFailed onAgain={() => void list.refetch()} /> : null}
      <ul className={classes.list}>
        {sessions.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            busy={end.isPending}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </ul>
      {sessions.length > 1 ? (
        <div className={classes.actions}>
          <Button variant="default" disabled={end.isPending} onClick={() => end.mutate('others')}>
            {t('security.sessions-others')}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}

function lastSeen({ refreshed_at, created_at }: SessionEntry): string {
  return refreshed_at ?? created_at;
}

function SessionItem(props: { session: SessionEntry; busy: boolean; onEnd: () => void }) {
  const { session, busy, onEnd } = props;
  const known = deviceOf(session.user_agent);
  const device = known === undefined ? t('security.device-unknown') : t('security.device', known);
  const seen = lastSeen(session);
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          {device}
          {session.current ? <Badge tone="good">{t('security.session-current')}</Badge> : null}
        </span>
        <span className={classes.meta}>
          <time dateTime={seen} title={formatDateTime(seen)}>
            {t('security.session-seen', { when: formatRelative(seen) })}
          </time>
          {session.ip === null ? null : ` · ${session.ip}`}
        </span>
      </span>
      {session.current ? null : (
        <Button
          variant="default"
          disabled={busy}
          aria-label={t('security.session-end-what', { device })}
          onClick={onEnd}
        >
          {t('security.session-end')}
        </Button>
      )}
    </li>
  );
}
