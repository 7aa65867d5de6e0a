/** Deletes folders and files after confirmation. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type Bucket, type FolderEntry, filesKey } from './api.ts';
import { t } from './text.ts';

export function DeleteEntries({
  bucket,
  entries,
  onClose,
  onDeleted,
}: {
  bucket: Bucket;
  entries: readonly FolderEntry[];
  onClose: () => void;
  onDeleted: () => void;
}) {
  const queryClient = useQueryClient();
  const names = (isFolder: boolean): string[] =>
    entries.filter(({ id }) => (id === null) === isFolder).map(({ name }) => name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const body = { paths: names(false), folders: names(true) };
      // Each call deletes a limited number of files, so large folders require several calls.
      while (
        (
          await fetchConsole('POST /storage/buckets/:bucket/remove', {
            params: { bucket: bucket.id },
            body,
          })
        ).more
      );
    },
    onSuccess: async () => {
      onDeleted();
      await queryClient.invalidateQueries({ queryKey: filesKey(bucket.id) });
    },
  });
  return (
    <Confirm
      title={t('files.delete-title', { count: entries.length })}
      action={t('files.delete')}
      {...(names(true).length > 0 ? { typed: bucket.name } : {})}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t('files.delete-text')}</p>
    </Confirm>
  );
}
