/** The menu with the actions for a bucket. */
import { IconEdit, IconEraser, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { ActionMenu } from '../../components/action-menu.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { type Bucket, filesKey, refreshFiles, type StorageOverview, storageQuery } from './api.ts';
import { BucketForm } from './bucket-form.tsx';
import { t } from './text.ts';

export function BucketMenu({ bucket, facts }: { bucket: Bucket; facts: StorageOverview }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'edit' | 'empty' | 'delete'>();
  const close = (): void => setDialog(undefined);
  const empty = useMutation({
    mutationFn: () => fetchConsole('POST /storage/buckets/:bucket/empty', { params: { bucket: bucket.id } }),
    onSuccess: async () => {
      close();
      await refreshFiles(queryClient, filesKey(bucket.id));
    },
  });
  const remove = useMutation({
    mutationFn: () => fetchConsole('DELETE /storage/buckets/:bucket', { params: { bucket: bucket.id } }),
    onSuccess: async () => {
      close();
      await navigate({ to: '/storage', search: {} });
      await queryClient.invalidateQueries({ queryKey: storageQuery.queryKey });
    },
  });
  return (
    <>
      <ActionMenu
        label={t('bucket.actions')}
        actions={[
          {
            label: t('bucket.edit'),
            icon: <IconEdit size={15} aria-hidden />,
            onChoose: () => setDialog('edit'),
          },
          {
            label: t('bucket.empty'),
            icon: <IconEraser size={15} aria-hidden />,
            isDanger: true,
            onChoose: () => setDialog('empty'),
          },
          {
            label: t('bucket.delete'),
            icon: <IconTrash size={15} aria-hidden />,
            isDanger: true,
            onChoose: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'edit' ? (
        <BucketForm
          bucket={bucket}
          projectLimitBytes={facts.fileSizeLimitBytes}
          onClose={close}
          onSaved={close}
        />
      ) : null}
      {dialog === 'empty' ? (
        <Confirm
          title={t('bucket.empty')}
          action={t('bucket.empty')}
          typed={bucket.name}
          isBusy={empty.isPending}
          error={empty.error}
          onConfirm={() => empty.mutate()}
          onClose={close}
        >
          <p>{t('bucket.empty-text', { name: bucket.name })}</p>
        </Confirm>
      ) : null}
      {dialog === 'delete' ? (
        <Confirm
          title={t('bucket.delete')}
          action={t('bucket.delete')}
          typed={bucket.name}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{t('bucket.delete-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
