/** Shows a scheduled job with its command, runs and actions. */
import { Checkbox } from '@mantine/core';
import { IconPencil, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { type CronJob, type CronRun, cronQuery, runsQuery } from '../api.ts';
import classes from '../jobs.module.css';
import { RunTag } from '../outcome.tsx';
import { PanelAction } from '../panel-action.tsx';
import { durationText, LoadOlder } from '../parts.tsx';
import { wordsOf } from '../schedule-words.ts';
import { t } from '../text.ts';
import { CronForm } from './form.tsx';
import { NextRun } from './next-run.tsx';

export function CronPanel({
  job,
  zone,
  canRunNow,
  onClose,
}: {
  job: CronJob;
  zone: string;
  canRunNow: boolean;
  onClose: () => void;
}) {
  const mayWrite = useMay('write');
  const name = job.name ?? `#${job.id}`;
  return (
    <SidePanel title={name} onClose={onClose} wide>
      <div className={classes.details}>
        {mayWrite && job.mine ? (
          <Actions job={job} name={name} zone={zone} canRunNow={canRunNow} onDeleted={onClose} />
        ) : null}
        {job.mine ? null : (
          <Notice tone="info">
            <p>{t('cron.others', { role: job.role })}</p>
          </Notice>
        )}
        <Facts className={classes.facts}>
          <Fact label={t('cron.schedule')}>
            <span className={classes.two}>
              <span>{wordsOf(job.schedule)}</span>
              <code className={classes.note}>{job.schedule}</code>
            </span>
          </Fact>
          <Fact label={t('cron.next')}>
            <NextRun job={job} zone={zone} />
          </Fact>
          <Fact label={t('cron.role')}>
            <code>{job.role}</code>
          </Fact>
          <Fact label={t('cron.database')}>
            <code>{job.database}</code>
          </Fact>
          <Fact label={t('cron.id')}>
            <code>{job.id}</code>
          </Fact>
        </Facts>
        <section className={classes.section}>
          <h3 className={classes.title}>{t('cron.command')}</h3>
          {job.command === null ? (
            <p className={classes.note}>{t('jobs.hidden')}</p>
          ) : (
            <CodeBlock text={job.command} what={t('cron.command')} />
          )}
        </section>
        <Runs id={job.id} />
      </div>
    </SidePanel>
  );
}

function Actions({
  job,
  name,
  zone,
  canRunNow,
  onDeleted,
}: {
  job: CronJob;
  name: string;
  zone: string;
  canRunNow: boolean;
  onDeleted: () => void;
}) {
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const close = (): void => setDialog(undefined);
  const run = useMutation({
    mutationFn: () => fetchConsole('POST /jobs/cron/:id/run', { params: { id: job.id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['jobs', 'runs', job.id] }),
  });
  const remove = useMutation({
    mutationFn: () => fetchConsole('DELETE /jobs/cron/:id', { params: { id: job.id } }),
    onSuccess: async () => {
      onDeleted();
      await queryClient.invalidateQueries({ queryKey: cronQuery.queryKey });
    },
  });
  return (
    <>
      <div className={classes.actions}>
        {canRunNow ? (
          <PanelAction
            icon={IconPlayerPlay}
            label={t('cron.run')}
            tone="primary"
            isBusy={run.isPending}
            isDisabled={!job.active}
            onClick={() => run.mutate()}
          />
        ) : null}
        <PanelAction icon={IconPencil} label={t('cron.edit')} onClick={() => setDialog('edit')} />
        <PanelAction
          icon={IconTrash}
          label={t('cron.delete')}
          tone="danger"
          onClick={() => setDialog('delete')}
        />
      </div>
      <div role="status" className={classes.status}>
        {run.data === undefined ? null : (
          <Notice tone="success">
            <p>{t(run.data.waits ? 'cron.run-waits' : 'cron.run-asked')}</p>
          </Notice>
        )}
      </div>
      {run.error === null ? null : <ProblemBox error={run.error} />}
      {dialog === 'edit' ? <CronForm job={job} zone={zone} onClose={close} onSaved={close} /> : null}
      {dialog === 'delete' ? (
        <Confirm
          title={t('cron.delete-title', { name })}
          action={t('cron.delete')}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{t('cron.delete-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function Runs({ id }: { id: string }) {
  const [failed, setFailed] = useState(false);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    runsQuery(id, failed),
  );
  const runs = data?.pages.flatMap((page) => page.runs);
  return (
    <section className={classes.section} aria-label={t('cron.runs')}>
      <div className={classes.sectionHead}>
        <h3 className={classes.title}>{t('cron.runs')}</h3>
        <Checkbox
          size="xs"
          label={t('cron.failed-only')}
          checked={failed}
          onChange={(event) => setFailed(event.currentTarget.checked)}
        />
      </div>
      {error === null ? null : <ProblemBox error={error} />}
      {runs === undefined ? null : runs.length === 0 ? (
        <p className={classes.note}>{t(failed ? 'cron.runs-none-failed' : 'cron.runs-none')}</p>
      ) : (
        <ul className={classes.entries}>
          {runs.map((run) => (
            <RunEntry key={run.id} run={run} />
          ))}
        </ul>
      )}
      <LoadOlder hasMore={hasNextPage} isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
    </section>
  );
}

function RunEntry({ run: { status, started_at, ended_at, message } }: { run: CronRun }) {
  return (
    <li className={classes.entry}>
      <div className={classes.entryHead}>
        <RunTag status={status} />
        {started_at === null ? null : (
          <span className={classes.note}>
            <Moment at={started_at} seconds />
          </span>
        )}
        {started_at === null || ended_at === null ? null : (
          <span className={classes.took}>{durationText(Date.parse(ended_at) - Date.parse(started_at))}</span>
        )}
      </div>
      {message === null || message === '' ? null : <pre className={classes.words}>{message.trim()}</pre>}
    </li>
  );
}
