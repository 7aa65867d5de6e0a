/** Shows whether the settings files match the running server, and applies them with a reload or a restart. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Applied, type RunningServer, type RunningState, runningQuery, settingsQuery } from './api.ts';
import { useSettingsForm } from './form.ts';
import { addressOf } from './nav.tsx';
import classes from './page.module.css';
import { t } from './text.ts';

/** The result of the last reload, or of the last change that was saved. */
export interface Outcome {
  readonly result: Applied;
  /** Whether the operator saved changes. False if the operator only reloaded the files. */
  readonly isSaved: boolean;
}

/**
 * @param page The open page. When the operator opens a different page, the confirmation of the last change disappears.
 */
export function Running({
  outcome,
  page,
  onReloaded,
}: {
  outcome: Outcome | undefined;
  page: string;
  onReloaded: (result: Applied) => void;
}) {
  const { mayWrite, isOwner } = useSettingsForm();
  const queryClient = useQueryClient();
  const [restarted, setRestarted] = useState<RunningServer>();
  // While the server restarts, requests fail. The next successful response comes from the restarted server.
  const { data } = useQuery({ ...runningQuery, refetchInterval: restarted === undefined ? 5000 : 500 });
  const reload = useMutation({
    mutationFn: () => fetchConsole('POST /settings/reload'),
    onSuccess: onReloaded,
    onSettled: () => queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey }),
  });
  // A load balancer can send each request to another node, so the responses don't show when all nodes have restarted.
  const isRolling = restarted !== undefined && restarted.nodes > 1;
  const isRestarting = restarted !== undefined && !isRolling && data?.run === restarted.run;
  const hasRestarted = restarted !== undefined && !isRolling && data !== undefined && !isRestarting;
  const [confirmedOn, setConfirmedOn] = useState(page);
  const [dismissed, setDismissed] = useState<Outcome>();
  if (page !== confirmedOn) {
    setConfirmedOn(page);
    setDismissed(outcome);
  }
  return (
    <>
      <div role="status">
        {isRestarting ? <Notice tone="info" title={t('settings.restarting')} /> : null}
        {isRolling ? (
          <Notice tone="info" title={t('settings.restarting-nodes')}>
            <p>
              {t('settings.restarting-nodes-text')}{' '}
              <Link to="/nodes">{t('settings.restarting-nodes-link')}</Link>
            </p>
          </Notice>
        ) : null}
        {hasRestarted ? <Notice tone="success" title={t('settings.restarted')} /> : null}
        {!isRestarting && outcome !== undefined ? (
          <Result outcome={outcome} isDismissed={outcome === dismissed} />
        ) : null}
        {data === undefined || isRestarting || isRolling ? null : (
          <Difference
            state={data}
            mayWrite={mayWrite}
            isOwner={isOwner}
            hasRestarted={hasRestarted}
            reload={
              <Button
                size="compact-sm"
                variant="default"
                loading={reload.isPending}
                onClick={() => reload.mutate()}
              >
                {t('settings.reload')}
              </Button>
            }
            restart={<Restart state={data} onRestart={() => setRestarted(data)} />}
          />
        )}
      </div>
      {reload.error === null ? null : <ProblemBox error={reload.error} />}
    </>
  );
}

function Result({
  outcome: {
    result: { applied, needsRestart, problems },
    isSaved,
  },
  isDismissed,
}: {
  outcome: Outcome;
  /** Whether the confirmation is hidden. Errors are still shown. */
  isDismissed: boolean;
}) {
  return (
    <>
      {isDismissed ? null : applied.length === 0 ? (
        isSaved && needsRestart.length === 0 ? (
          <Notice tone="success" title={t('settings.saved')} />
        ) : null
      ) : (
        <Notice tone="success" title={t('settings.applied', { count: applied.length })}>
          <Keys keys={applied} />
        </Notice>
      )}
      {problems.length === 0 ? null : (
        <Notice tone="danger" title={t('settings.problems')}>
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

function Difference({
  state: { changedAt, unapplied, needsRestart, faults, canReload, canRestart },
  mayWrite,
  isOwner,
  hasRestarted,
  reload,
  restart,
}: {
  state: RunningState;
  mayWrite: boolean;
  isOwner: boolean;
  hasRestarted: boolean;
  reload: ReactNode;
  restart: ReactNode;
}) {
  return (
    <>
      {faults.length === 0 || changedAt === null ? null : (
        <Notice tone="danger" title={t('settings.invalid')}>
          <p>
            <Moment at={changedAt} />
          </p>
          {faults.map((fault) => (
            <p key={fault}>
              <code>{fault}</code>
            </p>
          ))}
        </Notice>
      )}
      {unapplied.length === 0 || changedAt === null ? null : (
        <Notice tone="warning" title={t('settings.unapplied')}>
          <p>
            <Moment at={changedAt} />
          </p>
          <Keys keys={unapplied} />
          {mayWrite && canReload ? reload : null}
        </Notice>
      )}
      {needsRestart.length === 0 ? null : (
        <Notice tone="warning" title={t('settings.needs-restart', { count: needsRestart.length })}>
          <ul className={classes.reasons}>
            {needsRestart.map(({ key, reason }) => (
              <li key={key}>
                <Label settingKey={key} /> {t('settings.because', { reason })}
              </li>
            ))}
          </ul>
          {hasRestarted ? <p>{t('settings.restart-failed')}</p> : null}
          {canRestart && isOwner ? (
            restart
          ) : (
            <>
              <p>{t(canRestart ? 'settings.restart-owners' : 'settings.restart-elsewhere')}</p>
              <Copyable value={ownCommand('reload --restart')} what={t('settings.restart-command')} />
            </>
          )}
        </Notice>
      )}
    </>
  );
}

function Restart({ state, onRestart }: { state: RunningServer; onRestart: () => void }) {
  const { nodes: count } = state;
  const [isAsking, setAsking] = useState(false);
  const restart = useMutation({
    mutationFn: () => fetchConsole('POST /settings/restart'),
    onSuccess: () => {
      setAsking(false);
      onRestart();
    },
  });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        disabled={state.faults.length > 0}
        onClick={() => setAsking(true)}
      >
        {t('settings.restart-now')}
      </Button>
      {isAsking ? (
        <Confirm
          title={count > 1 ? t('settings.restart-nodes-title', { count }) : t('settings.restart-title')}
          action={count > 1 ? t('settings.restart-nodes', { count }) : t('settings.restart')}
          isMild
          isBusy={restart.isPending}
          error={restart.error}
          onConfirm={() => restart.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{t(count > 1 ? 'settings.restart-nodes-text' : 'settings.restart-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <ul className={classes.waiting}>
      {keys.map((key) => (
        <li key={key}>
          <Label settingKey={key} />
        </li>
      ))}
    </ul>
  );
}

/**
 * Shows the label of a setting as a link to the setting. Keys without a label, such as whole tables, are shown
 * unchanged.
 */
function Label({ settingKey: key }: { settingKey: string }) {
  const { data, settingOf } = useSettingsForm();
  const page = data.pages.find(({ parts }) => parts.some(({ keys }) => keys.includes(key)));
  const setting = settingOf(key);
  return setting === undefined || page === undefined ? (
    <code>{key}</code>
  ) : (
    <Link to="/settings" search={addressOf(page, key)}>
      {setting.label}
    </Link>
  );
}
