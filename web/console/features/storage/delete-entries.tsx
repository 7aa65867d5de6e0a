/** Deletes folders and files after confirmation. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type Bucket, filesKey, refreshFiles } from './api.ts';
import { t } from './text.ts';

/** The maximum number of paths in one request. */
const maxFiles = 1000;

export function DeleteEntries({
  bucket,
  names,
  onClose,
  onDeleted,
}: {
  bucket: Bucket;
  /** The paths to the files and folders. The path to a folder ends with a slash. */
  names: readonly string[];
  onClose: () => void;
  onDeleted: () => void;
}) {
  const queryClient = useQueryClient();
  const folders = names.filter((name) => name.endsWith('/'));
  const files = names.filter((name) => !name.endsWith('/'));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const remove = (body: { paths?: string[]; folders?: string[] }) =>
        fetchConsole('POST /storage/buckets/:bucket/remove', { params: { bucket: bucket.id }, body });
      for (let at = 0; at < files.length; at += maxFiles)
        await remove({ paths: files.slice(at, at + maxFiles) });
      // Each call deletes a limited number of files, so large folders require several calls.
      for (const folder of folders) while ((await remove({ folders: [folder] })).more);
    },
    onSuccess: async () => {
      onDeleted();
      await refreshFiles(queryClient, filesKey(bucket.id));
    },
  });
  return (
    <Confirm
      title={t('files.delete-title', { count: names.length })}
      action={t('files.delete')}
      {...(folders.length > 0 ? { typed: bucket.name } : {})}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t(folders.length > 0 ? 'files.delete-folder-text' : 'files.delete-text')}</p>
    </Confirm>
  );
}
