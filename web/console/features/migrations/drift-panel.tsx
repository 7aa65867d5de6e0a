/**
 * Compares the database with the migrations, shows the differences by object, and saves them as a migration. Operators
 * who can't make changes see the last comparison.
 */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { DiffBlock } from '../../components/diff-block.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import { type Drift, type DriftObject, driftQuery, findDrift } from './api.ts';
import { DriftSave } from './drift-save.tsx';
import classes from './migrations.module.css';
import { RunningStep } from './step.tsx';
import { t } from './text.ts';

export function DriftPanel({ writesFiles, onClose }: { writesFiles: boolean; onClose: () => void }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { data, error: unread } = useQuery(driftQuery);
  const { mutate, error, isPending } = useMutation({
    mutationFn: findDrift,
    onSuccess: (last) => queryClient.setQueryData(driftQuery.queryKey, { running: null, last }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: driftQuery.queryKey }),
  });
  const isRunning = isPending || data?.running != null;
  const last = data?.last ?? null;
  const problem = error ?? unread;
  return (
    <SidePanel title={t('migrations.drift')} onClose={onClose} wide>
      <div className={classes.details}>
        <p>{t('migrations.drift-text')}</p>
        {writesFiles || !mayWrite ? null : <p className={classes.note}>{t('migrations.drift-production')}</p>}
        <RunningStep isOwn={isPending} />
        {problem === null ? null : <ProblemBox error={problem} />}
        <div role="status">
          {isRunning || data === undefined ? null : last === null ? (
            <p className={classes.note}>{t('migrations.drift-never')}</p>
          ) : last.objects.length === 0 ? (
            <Notice tone="success">
              <p>{t('migrations.drift-none')}</p>
            </Notice>
          ) : (
            <Notice tone="warning">
              <p>{t('migrations.drift-found', { count: last.objects.length })}</p>
            </Notice>
          )}
        </div>
        {last === null || isRunning ? null : (
          <>
            <p className={classes.note}>
              {t('migrations.drift-checked')} <Moment at={new Date(last.checkedAt).toISOString()} relative />
            </p>
            {last.objects.length === 0 ? null : <Differences drift={last} writesFiles={writesFiles} />}
          </>
        )}
        {mayWrite ? (
          <div>
            <Button size="sm" variant="default" loading={isRunning} onClick={() => mutate()}>
              {t(last === null ? 'migrations.drift-start' : 'migrations.drift-again')}
            </Button>
          </div>
        ) : null}
      </div>
    </SidePanel>
  );
}

function Differences({ drift, writesFiles }: { drift: Drift; writesFiles: boolean }) {
  const mayWrite = useMay('write');
  return (
    <>
      <p className={classes.note}>{t('migrations.drift-legend')}</p>
      <ul className={classes.objects} aria-label={t('migrations.drift-objects')}>
        {drift.objects.map((object) => (
          <li key={`${object.kind} ${object.name}`}>
            <ObjectDiff object={object} />
          </li>
        ))}
      </ul>
      {mayWrite ? <DriftSave key={drift.checkedAt} drift={drift} writesFiles={writesFiles} /> : null}
    </>
  );
}

const tones: Readonly<Record<DriftObject['change'], TagTone>> = {
  added: 'success',
  removed: 'danger',
  changed: 'warning',
};

function ObjectDiff({ object }: { object: DriftObject }) {
  const { kind, name, change, lines, sql, undo, undoLosesData, files } = object;
  const title = kind === '' ? t('migrations.object-other') : `${kind} ${name}`.trim();
  return (
    <section className={classes.object}>
      <h3 className={classes.objectName}>
        {title} <Tag tone={tones[change]}>{t(`migrations.object-${change}`)}</Tag>
      </h3>
      {files.length === 0 ? null : (
        <p className={classes.note}>{t('migrations.object-files', { files: files.join(', ') })}</p>
      )}
      {lines === null ? (
        <p className={classes.note}>{t('migrations.object-hidden')}</p>
      ) : (
        <DiffBlock lines={lines} label={t('migrations.object-diff', { name: title })} />
      )}
      {sql === null || sql === '' ? null : (
        <details>
          <summary>{t('migrations.object-sql')}</summary>
          <CodeBlock text={sql.trim()} what={`${t('migrations.object-sql')}: ${title}`} />
        </details>
      )}
      {undo === null || undo === '' ? null : (
        <details>
          <summary>{t('migrations.object-undo')}</summary>
          {undoLosesData ? (
            <Notice tone="danger">
              <p>{t('migrations.object-loses')}</p>
            </Notice>
          ) : null}
          <CodeBlock text={undo.trim()} what={`${t('migrations.object-undo')}: ${title}`} />
        </details>
      )}
    </section>
  );
}
