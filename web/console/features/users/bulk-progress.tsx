import { Button } from '@mantine/core';
import { Notice } from '../../../ui/notice.tsx';
import dialog from '../../components/dialog.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import type { BulkAction } from './api.ts';
import classes from './bulk.module.css';
import { t } from './text.ts';
import type { BulkRun } from './use-bulk.ts';

const maxShownFailures = 100;

/** Shows the progress of a bulk action, and then its result and the possible next steps. */
export function BulkProgress({
  run,
  onStart,
  onStop,
  onClose,
}: {
  run: BulkRun;
  onStart: (action: BulkAction, ids: readonly string[]) => void;
  onStop: () => void;
  onClose: () => void;
}) {
  const { action, total, done, failures, left, undoable, isRunning, error } = run;
  const finished = done + failures.length;
  return (
    <div className={dialog.form}>
      <label className={classes.progress}>
        <span>{t('bulk.progress', { finished, total })}</span>
        <progress value={finished} max={total} />
      </label>
      {error === null ? null : <ProblemBox error={error} />}
      <div role="status">
        {isRunning ? null : (
          <Notice tone={failures.length === 0 && left.length === 0 ? 'success' : 'warning'}>
            <p>{t(`bulk.${action.kind}-done`, { count: done })}</p>
            {left.length === 0 ? null : <p>{t('bulk.left', { count: left.length })}</p>}
          </Notice>
        )}
      </div>
      {failures.length === 0 ? null : (
        <section>
          <h3 className={classes.failuresTitle}>{t('bulk.failures', { count: failures.length })}</h3>
          <ul className={classes.failures}>
            {failures.slice(0, maxShownFailures).map(({ id, name, message }) => (
              <li key={id}>
                <strong>{name}</strong>
                <span>{message}</span>
              </li>
            ))}
          </ul>
          {failures.length > maxShownFailures ? (
            <p>{t('bulk.failures-more', { count: failures.length - maxShownFailures })}</p>
          ) : null}
        </section>
      )}
      <div className={dialog.buttons}>
        {isRunning ? (
          <Button size="sm" variant="default" onClick={onStop}>
            {t('bulk.stop')}
          </Button>
        ) : (
          <>
            {failures.length + left.length === 0 ? null : (
              <Button
                size="sm"
                variant="default"
                onClick={() => onStart(action, [...failures.map(({ id }) => id), ...left])}
              >
                {t('bulk.retry', { count: failures.length + left.length })}
              </Button>
            )}
            {undoable.length === 0 ? null : (
              <Button size="sm" variant="default" onClick={() => onStart({ kind: 'unban' }, undoable)}>
                {t('bulk.undo-ban', { count: undoable.length })}
              </Button>
            )}
            <Button size="sm" onClick={onClose} data-autofocus>
              {t('bulk.close')}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
