/** Asks operators to confirm their identity if a request was rejected because their sign-in is too old. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole, resumeSession, sessionQuery } from '../../api/session.ts';
import type { Session } from '../../api/types.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { t as common } from '../../text.ts';
import { ProveFactor } from './factor-step.tsx';
import classes from './form.module.css';
import { t } from './text.ts';

const checkEveryMs = 2000;
/**
 * The time for which the page waits for a sign-in. This time is limited, because a much later sign-in for another
 * reason must not trigger the action.
 */
const waitMs = 10 * 60_000;

export default function ConfirmIdentity({ onSettled }: { onSettled: (isConfirmed: boolean) => void }) {
  const { data } = useQuery(sessionQuery);
  // Stores the operator who started the action, because a sign-in in another tab can change the session.
  const [session] = useState(data);
  return (
    <Dialog title={t('again.title')} onClose={() => onSettled(false)}>
      <div className={classes.form}>
        <p className={classes.text}>{t('again.text')}</p>
        {session?.factor === 'proven' ? (
          <ProveFactor onDone={() => onSettled(true)} />
        ) : (
          <ByLink operator={session?.operator.name} onDone={() => onSettled(true)} />
        )}
      </div>
    </Dialog>
  );
}

/** Waits until the operator, who has no second factor, has signed in with a new link in another tab. */
function ByLink({ operator, onDone }: { operator: string | undefined; onDone: () => void }) {
  const queryClient = useQueryClient();
  const [isLate, setLate] = useState(false);
  const { data: found, refetch } = useQuery({
    queryKey: ['confirmed-session'],
    queryFn: ({ signal }) => currentSession(signal),
    refetchInterval: isLate ? false : checkEveryMs,
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: isLate ? false : 'always',
    staleTime: 0,
    gcTime: 0,
  });
  const isConfirmed = found?.isFresh === true && found.operator.name === operator;
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), waitMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    // A failed request isn't reported, because the action's own request will fail as well.
    if (isConfirmed)
      void resumeSession(queryClient)
        .catch(() => undefined)
        .then(onDone);
  }, [isConfirmed, queryClient, onDone]);
  return (
    <>
      <p className={classes.text}>{t('again.link')}</p>
      <div className={classes.boxed}>
        <Copyable value={ownCommand('console')} what={common('sign-in.command')} />
      </div>
      <div role="status">
        {found?.isFresh === true && !isConfirmed ? (
          <Notice tone="warning">
            {t('again.other', { name: found.operator.name, own: operator ?? '' })}
          </Notice>
        ) : (
          <p className={classes.text}>{t(isLate ? 'again.late' : 'again.waiting')}</p>
        )}
      </div>
      {isLate ? (
        <div className={classes.buttons}>
          <Button size="sm" onClick={() => void refetch()}>
            {common('session.go-on')}
          </Button>
        </div>
      ) : null}
      <p className={classes.text}>
        {t('again.factor')}{' '}
        <a className={classes.link} href="/console/operators" target="_blank" rel="noreferrer">
          {t('again.factor-link')}
        </a>
      </p>
    </>
  );
}

/**
 * Returns the browser's session, or null if there is none. A new sign-in ends the browser's previous session before the
 * browser has received the new cookie, so a missing session doesn't mean that the operator has signed out.
 */
async function currentSession(signal: AbortSignal): Promise<Session | null> {
  try {
    return await fetchConsole('GET /session', { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}
