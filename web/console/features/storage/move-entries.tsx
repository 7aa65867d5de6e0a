/** Moves the selected files and folders to another folder, or renames a single file or folder. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import dialog from '../../components/dialog.module.css';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import type { Bucket, StorageOverview } from './api.ts';
import classes from './move-entries.module.css';
import { t } from './text.ts';
import { type Move, type Step, useMove } from './use-move.ts';

/** Returns the last part of a path, including a folder's trailing slash. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/', path.length - 2) + 1);

const asFolder = (text: string): string => {
  const path = text.trim().replace(/^\/+/, '');
  return path === '' || path.endsWith('/') ? path : `${path}/`;
};

export function MoveEntries({
  bucket,
  facts,
  folder,
  names,
  onClose,
  onDone,
}: {
  bucket: Bucket;
  facts: StorageOverview;
  folder: string;
  /** The paths of the entries. If there is only one entry, the operator can also change its name. */
  names: readonly string[];
  onClose: () => void;
  onDone: () => void;
}) {
  const [only] = names.length === 1 ? names : [];
  const [toFolder, setToFolder] = useState(folder);
  const [toName, setToName] = useState(only === undefined ? '' : nameOf(only).replace(/\/$/, ''));
  const [toBucket, setToBucket] = useState(bucket.id);
  const { move, start, stop } = useMove(bucket.id);

  const run = async (steps: readonly Step[]): Promise<void> => {
    if (await start(steps, toBucket)) onDone();
  };
  const steps = names.map((from): Step => {
    const name = only === undefined ? nameOf(from) : toName.trim() + (from.endsWith('/') ? '/' : '');
    return { from, to: asFolder(toFolder) + name };
  });
  const isSame = toBucket === bucket.id && steps.every(({ from, to }) => from === to);
  const close = (): void => {
    if (move?.isRunning) stop();
    else if (move === undefined) onClose();
    else onDone();
  };
  const title = t(only === undefined ? 'files.move-title' : 'file.move', { count: names.length });

  return (
    <Dialog title={title} onClose={close}>
      {move === undefined ? (
        <form
          className={dialog.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isSame) void run(steps);
          }}
        >
          {only === undefined ? null : (
            <TextInput
              label={t('files.new-name')}
              required
              autoComplete="off"
              data-autofocus
              value={toName}
              onChange={(event) => setToName(event.currentTarget.value)}
            />
          )}
          <TextInput
            label={t('files.to-folder')}
            description={t('files.to-folder-why')}
            autoComplete="off"
            value={toFolder}
            onChange={(event) => setToFolder(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('file.to-bucket')}
            value={toBucket}
            onChange={(event) => setToBucket(event.currentTarget.value)}
            data={facts.buckets.map(({ id, name }) => ({ value: id, label: name }))}
          />
          {names.some((name) => name.endsWith('/')) ? <p>{t('files.move-folder-text')}</p> : null}
          <div className={dialog.buttons}>
            <Button variant="default" size="sm" onClick={onClose}>
              {t('confirm.cancel')}
            </Button>
            <Button type="submit" size="sm" disabled={isSame}>
              {t('files.move-go', { count: names.length })}
            </Button>
          </div>
        </form>
      ) : (
        <Progress move={move} onStop={stop} onClose={close} onRetry={() => void run(move.left)} />
      )}
    </Dialog>
  );
}

const maxShownFailures = 100;

function Progress({
  move,
  onStop,
  onClose,
  onRetry,
}: {
  move: Move;
  onStop: () => void;
  onClose: () => void;
  onRetry: () => void;
}) {
  const { moved, failures, left, isRunning, error } = move;
  return (
    <div className={dialog.form}>
      <div role="status">
        {isRunning ? (
          <p>{t('files.moving', { count: moved })}</p>
        ) : (
          <Notice tone="warning">
            <p>{t('files.moved', { count: moved })}</p>
            <p>
              {t(failures.length > 0 ? 'files.move-failed' : 'files.move-stopped', {
                count: failures.length,
              })}
            </p>
          </Notice>
        )}
      </div>
      {isRunning ? (
        <progress className={classes.bar} aria-label={t('files.moving', { count: moved })} />
      ) : null}
      {error === null ? null : <ProblemBox error={error} />}
      {failures.length === 0 ? null : (
        <ul className={classes.failures}>
          {failures.slice(0, maxShownFailures).map(({ path, message }) => (
            <li key={path}>
              <strong>{path}</strong>
              <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      <div className={dialog.buttons}>
        {isRunning ? (
          <Button size="sm" variant="default" onClick={onStop}>
            {t('files.move-stop')}
          </Button>
        ) : (
          <>
            {left.length === 0 ? null : (
              <Button size="sm" variant="default" onClick={onRetry}>
                {t('files.move-retry')}
              </Button>
            )}
            <Button size="sm" onClick={onClose}>
              {t('panel.close')}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
