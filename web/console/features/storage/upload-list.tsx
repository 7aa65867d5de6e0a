/** The list of uploads at the bottom of the page. */
import { ActionIcon, Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react';
import { t } from './text.ts';
import classes from './upload-list.module.css';
import type { Upload, Uploads } from './use-uploads.ts';

export function UploadList({ uploads }: { uploads: Uploads }) {
  const { list } = uploads;
  const done = list.filter(({ state }) => state === 'done').length;
  const isBusy = list.some(({ state }) => state === 'running' || state === 'waiting');
  return (
    <section className={classes.box} aria-label={t('upload.title')}>
      <div className={classes.head}>
        <h2 className={classes.title}>{t('upload.title')}</h2>
        <span className="visually-hidden" role="status">
          {isBusy ? '' : t('upload.summary', { count: done })}
        </span>
        {isBusy ? null : (
          <Button size="compact-xs" variant="subtle" onClick={uploads.clear}>
            {t('upload.clear')}
          </Button>
        )}
      </div>
      <ul className={classes.list}>
        {list.map((upload) => (
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
      {fault === undefined || state !== 'failed' ? null : <p className={classes.fault}>{fault}</p>}
    </li>
  );
}
