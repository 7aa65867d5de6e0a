/**
 * Shows a summary of the uploads at the top of the page and the failed uploads. The list of all uploads is shown on
 * request.
 */
import { ActionIcon, Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { t } from './text.ts';
import classes from './upload-list.module.css';
import type { Upload, Uploads } from './use-uploads.ts';

/** If there are at most this many files, all of them are shown until the operator hides them. */
const fewFiles = 3;

export function UploadList({ uploads }: { uploads: Uploads }) {
  const { list } = uploads;
  const [choice, setChoice] = useState<boolean>();
  const isOpen = choice ?? list.length <= fewFiles;
  const id = useId();
  const failed = list.filter(({ state }) => state === 'failed');
  const done = list.filter(({ state }) => state === 'done').length;
  const existing = failed.filter(({ exists }) => exists === true).length;
  const isBusy = list.some(({ state }) => state === 'running' || state === 'waiting');
  const totalBytes = list.reduce((sum, { file }) => sum + file.size, 0);
  const sentBytes = list.reduce(
    (sum, { state, file, sentBytes: sent }) => sum + (state === 'done' ? file.size : sent),
    0,
  );
  // Failures need attention, so they are visible even if the list is closed, and come first in the open list.
  const shown = isOpen ? [...failed, ...list.filter(({ state }) => state !== 'failed')] : failed;
  return (
    <section className={classes.box} aria-label={t('upload.title')}>
      <div className={classes.head}>
        <h2 className="visually-hidden">{t('upload.title')}</h2>
        <span className={classes.summary} role="status">
          {isBusy
            ? t('upload.busy', { done, total: list.length })
            : [
                t('upload.summary', { count: done }),
                ...(failed.length === 0 ? [] : [t('upload.summary-failed', { count: failed.length })]),
              ].join(', ')}
        </span>
        {failed.length > existing ? (
          <Button size="compact-xs" variant="default" onClick={() => uploads.retryAll(false)}>
            {t('upload.retry-all', { count: failed.length - existing })}
          </Button>
        ) : null}
        {existing > 1 ? (
          <Button size="compact-xs" variant="default" onClick={() => uploads.retryAll(true)}>
            {t('upload.replace-all', { count: existing })}
          </Button>
        ) : null}
        <Button
          size="compact-xs"
          variant="subtle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setChoice(!isOpen)}
        >
          {t(isOpen ? 'upload.hide' : 'upload.show')}
        </Button>
        {isBusy ? null : (
          <Button size="compact-xs" variant="subtle" onClick={uploads.clear}>
            {t('upload.clear')}
          </Button>
        )}
      </div>
      {isBusy ? (
        <progress
          className={classes.bar}
          max={Math.max(totalBytes, 1)}
          value={sentBytes}
          aria-label={t('upload.progress-all')}
        />
      ) : null}
      <ul id={id} className={classes.list}>
        {shown.map((upload) => (
          <UploadRow key={upload.id} upload={upload} uploads={uploads} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const { id, path, file, state, sentBytes, fault, exists, uploadPath } = upload;
  const percent = file.size === 0 ? 0 : Math.floor((sentBytes / file.size) * 100);
  return (
    <li className={classes.row} data-state={state}>
      <div className={classes.line}>
        <span className={classes.path}>{path}</span>
        {state === 'done' ? <IconCircleCheck size={16} aria-hidden /> : null}
        {state === 'failed' ? <IconAlertTriangle size={16} aria-hidden /> : null}
        <span className={classes.state}>
          {state === 'running' ? t('upload.running', { percent }) : t(`upload.${state}`)}
        </span>
        {state === 'failed' ? (
          <Button size="compact-xs" variant="default" onClick={() => uploads.retry(id, exists)}>
            {t(exists ? 'upload.replace' : uploadPath === undefined ? 'upload.retry' : 'upload.resume')}
          </Button>
        ) : null}
        {state === 'done' ? null : (
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={`${t('upload.cancel')}: ${path}`}
            onClick={() => uploads.cancel(id)}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {state === 'running' ? (
        <progress
          className={classes.bar}
          max={100}
          value={percent}
          aria-label={t('upload.progress', { name: path })}
        />
      ) : null}
      {fault === undefined || state !== 'failed' ? null : (
        <p className={classes.fault}>{exists ? t('upload.exists') : fault}</p>
      )}
    </li>
  );
}
