/** Squashes several migrations into one file. */
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Migration, squashMigrations } from './api.ts';
import classes from './migrations.module.css';
import { RunningStep } from './step.tsx';
import { t } from './text.ts';

export function SquashPanel({
  migrations,
  onClose,
}: {
  /** The applied migrations with files, sorted by version. */
  migrations: readonly Migration[];
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [version, setVersion] = useState(migrations.at(-1)?.version ?? '');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => squashMigrations(version),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['migrations'] }),
  });
  return (
    <SidePanel title={t('migrations.squash-title')} onClose={onClose} wide>
      <div className={classes.details}>
        <p>{t('migrations.squash-text')}</p>
        <Notice tone="warning">
          <p>{t('migrations.squash-data')}</p>
        </Notice>
        {isPending ? <RunningStep isOwn /> : null}
        {error === null ? null : <ProblemBox error={error} />}
        <div role="status">
          {data === undefined ? null : (
            <Notice tone="success">
              <p>{t('migrations.squash-done', { file: data.file, backup: data.backup })}</p>
            </Notice>
          )}
        </div>
        {data === undefined || data.omitted.length === 0 ? null : (
          <div>
            <p className={classes.label}>{t('migrations.squash-omitted')}</p>
            <ul className={classes.files}>
              {data.omitted.map((each) => (
                <li key={each}>
                  <code>{each}</code>
                </li>
              ))}
            </ul>
          </div>
        )}
        {data !== undefined ? null : (
          <>
            <NativeSelect
              label={t('migrations.squash-up-to')}
              value={version}
              data={migrations.slice(1).map((each) => ({
                value: each.version,
                label: `${each.version} ${each.name}`,
              }))}
              onChange={(event) => setVersion(event.currentTarget.value)}
            />
            <div>
              <Button size="sm" loading={isPending} onClick={() => mutate()}>
                {t('migrations.squash-go')}
              </Button>
            </div>
          </>
        )}
      </div>
    </SidePanel>
  );
}
