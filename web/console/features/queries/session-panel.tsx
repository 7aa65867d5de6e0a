/** Shows a session with its statement, and actions that cancel the statement or end the session. */
import { IconPlayerStop, IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { Moment } from '../../components/moment.tsx';
import { PanelAction } from '../jobs/panel-action.tsx';
import { type ActivityRow, activityQuery, endSession } from './api.ts';
import { durationText } from './parts.tsx';
import classes from './queries.module.css';
import { StateTag } from './state-tag.tsx';
import { t } from './text.ts';

export function SessionPanel({
  pid,
  session,
  onClose,
}: {
  pid: number;
  /** Undefined if the session has ended. */
  session: ActivityRow | undefined;
  onClose: () => void;
}) {
  const mayWrite = useMay('write');
  const [done, setDone] = useState<'cancel' | 'terminate'>();
  return (
    <SidePanel title={t('activity.session', { pid: String(pid) })} onClose={onClose} wide>
      <div className={classes.details}>
        <div role="status" className={classes.status}>
          {done === undefined ? null : (
            <Notice tone="success">
              <p>{t(done === 'cancel' ? 'activity.canceled' : 'activity.terminated')}</p>
            </Notice>
          )}
        </div>
        {session === undefined ? (
          <p>{t('activity.gone')}</p>
        ) : (
          <>
            {mayWrite ? <Actions session={session} onDone={setDone} /> : null}
            <CodeBlock text={session.text.trim()} what={t('queries.statement')} />
            <SessionFacts session={session} />
          </>
        )}
      </div>
    </SidePanel>
  );
}

function SessionFacts({ session }: { session: ActivityRow }) {
  const { statementMs, transactionMs, waitsFor, blockedBy } = session;
  return (
    <Facts layout="columns">
      <Fact label={t('queries.role')}>
        <code>{session.role}</code>
      </Fact>
      <Fact label={t('activity.program')}>
        {session.program === '' ? t('queries.none') : session.program}
      </Fact>
      <Fact label={t('activity.state')}>
        <StateTag session={session} />
      </Fact>
      {statementMs === null ? null : (
        <Fact label={t('activity.duration')}>{durationText(Math.max(0, statementMs))}</Fact>
      )}
      {transactionMs === null ? null : (
        <Fact label={t('activity.transaction')}>{durationText(Math.max(0, transactionMs))}</Fact>
      )}
      <Fact label={t('activity.waits-for')}>
        {blockedBy.length > 0
          ? t('activity.blocked', { pids: blockedBy.join(', ') })
          : (waitsFor ?? t('queries.none'))}
      </Fact>
      <Fact label={t('activity.began')}>
        <Moment at={session.began} />
      </Fact>
    </Facts>
  );
}

function Actions({
  session,
  onDone,
}: {
  session: ActivityRow;
  onDone: (signal: 'cancel' | 'terminate') => void;
}) {
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'cancel' | 'terminate'>();
  const end = useMutation({
    mutationFn: (signal: 'cancel' | 'terminate') => endSession(signal, session),
    onSuccess: async (_nothing, signal) => {
      setAsked(undefined);
      onDone(signal);
      await queryClient.invalidateQueries({ queryKey: activityQuery.queryKey });
    },
  });
  const pid = String(session.pid);
  return (
    <>
      <div className={classes.actions}>
        {session.state === 'active' ? (
          <PanelAction
            icon={IconPlayerStop}
            label={t('activity.cancel')}
            onClick={() => setAsked('cancel')}
          />
        ) : null}
        <PanelAction
          icon={IconPlugConnectedX}
          label={t('activity.terminate')}
          tone="danger"
          onClick={() => setAsked('terminate')}
        />
      </div>
      {asked === undefined ? null : (
        <Confirm
          title={t(asked === 'cancel' ? 'activity.cancel-title' : 'activity.terminate-title', { pid })}
          action={t(asked === 'cancel' ? 'activity.cancel' : 'activity.terminate')}
          isBusy={end.isPending}
          error={end.error}
          onConfirm={() => end.mutate(asked)}
          onClose={() => {
            end.reset();
            setAsked(undefined);
          }}
        >
          <p>{t(asked === 'cancel' ? 'activity.cancel-text' : 'activity.terminate-text')}</p>
        </Confirm>
      )}
    </>
  );
}
