/** Lists a user's sessions, grouped by browser. Sessions can be ended individually or all together. */
import { ActionIcon, Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Moment } from '../../components/moment.tsx';
import { messageOf, ProblemBox } from '../../components/problem-box.tsx';
import { sessionsQuery } from './api.ts';
import { deviceOf, groupSessions } from './group-sessions.ts';
import { t } from './text.ts';
import { useUserCall } from './use-user-call.ts';
import { nameOf } from './user-name.ts';
import classes from './user-panel.module.css';

export function Sessions({ user }: { user: User }) {
  const mayWrite = useMay('write');
  const { data, error } = useQuery(sessionsQuery(user.id));
  const [isEndingAll, setEndingAll] = useState(false);
  const end = useUserCall(user.id, () => setEndingAll(false));
  return (
    <section>
      <div className={classes.sectionHead}>
        <h3 className={classes.title}>{t('users.sessions')}</h3>
        {mayWrite && data !== undefined && data.length > 0 ? (
          <Button size="compact-xs" variant="default" onClick={() => setEndingAll(true)}>
            {t('users.sessions-end')}
          </Button>
        ) : null}
      </div>
      {error === null ? null : <p className={classes.dim}>{messageOf(error)}</p>}
      {end.error === null || isEndingAll ? null : <ProblemBox error={end.error} />}
      {data?.length === 0 ? <p className={classes.dim}>{t('users.no-sessions')}</p> : null}
      {data === undefined || data.length === 0 ? null : (
        <ul className={classes.list}>
          {groupSessions(data).map(({ key, sessions, apps, hasAccount, userAgent, ip, lastSeen }) => (
            <li key={key}>
              <span className={classes.two}>
                <span className={classes.clip} title={userAgent ?? undefined}>
                  {deviceOf(userAgent) ?? (userAgent || t('users.unknown-device'))}
                </span>
                <span className={classes.dim}>
                  {[ip, sessions[0]?.aal === 'aal2' ? t('users.factor-tag') : ''].filter(Boolean).join(' · ')}{' '}
                  · <Moment at={lastSeen} relative />
                </span>
                {apps.length === 0 ? null : (
                  <span className={`${classes.dim} ${classes.clip}`}>
                    {[...(hasAccount ? [t('users.session-account')] : []), ...apps].join(', ')}
                  </span>
                )}
              </span>
              {mayWrite ? (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('users.session-end')}
                  title={t('users.session-end')}
                  onClick={() =>
                    end.mutate(async () => {
                      for (const { id: session } of sessions)
                        await fetchConsole('DELETE /users/:id/sessions/:session', {
                          params: { id: user.id, session },
                        });
                    })
                  }
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {isEndingAll ? (
        <Confirm
          title={t('users.sessions')}
          action={t('users.sessions-end')}
          isBusy={end.isPending}
          error={end.error}
          onConfirm={() =>
            end.mutate(() => fetchConsole('DELETE /users/:id/sessions', { params: { id: user.id } }))
          }
          onClose={() => setEndingAll(false)}
        >
          <p>{t('users.sessions-end-text', { name: nameOf(user) })}</p>
        </Confirm>
      ) : null}
    </section>
  );
}
