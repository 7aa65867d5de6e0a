/** The form for a new or existing bucket. */
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { type Bucket, storageQuery } from './api.ts';
import { parseSize, printSize } from './sizes.ts';
import { t } from './text.ts';

type BucketRules = Omit<Body<'POST /storage/buckets'>, 'name'>;

export function BucketForm({
  bucket,
  projectLimitBytes,
  onClose,
  onSaved,
}: {
  /** Undefined for a new bucket. */
  bucket?: Bucket;
  projectLimitBytes: number;
  onClose: () => void;
  onSaved: (id: string) => void;
}) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(bucket?.name ?? '');
  const [isPublic, setPublic] = useState(bucket?.public ?? false);
  const [limit, setLimit] = useState(
    bucket?.file_size_limit == null ? '' : printSize(bucket.file_size_limit),
  );
  const [types, setTypes] = useState((bucket?.allowed_mime_types ?? []).join(', '));
  const [isLimitBad, setLimitBad] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (rules: BucketRules): Promise<unknown> =>
      bucket === undefined
        ? fetchConsole('POST /storage/buckets', { body: { name, ...rules } })
        : fetchConsole('PATCH /storage/buckets/:bucket', { params: { bucket: bucket.id }, body: rules }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: storageQuery.queryKey });
      onSaved(bucket?.id ?? name);
    },
  });

  function save(): void {
    const bytes = limit.trim() === '' ? null : parseSize(limit);
    setLimitBad(bytes === undefined);
    if (bytes === undefined) return;
    const list = types
      .split(',')
      .map((type) => type.trim())
      .filter((type) => type !== '');
    // If the operator didn't edit the limit, the stored limit is sent, because the displayed value is rounded.
    const isSameLimit = bucket?.file_size_limit != null && limit === printSize(bucket.file_size_limit);
    mutate({
      public: isPublic,
      file_size_limit: isSameLimit ? bucket.file_size_limit : bytes,
      allowed_mime_types: list.length === 0 ? null : list,
    });
  }

  return (
    <FormDialog
      title={bucket === undefined ? t('storage.new-bucket') : t('storage.edit-bucket', { name: bucket.name })}
      action={t(bucket === undefined ? 'bucket.create' : 'bucket.save')}
      isBusy={isPending}
      error={error}
      onSubmit={save}
      onClose={onClose}
    >
      {bucket === undefined ? (
        <TextInput
          label={t('bucket.name')}
          required
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      ) : null}
      <Checkbox
        label={t('bucket.public')}
        description={t('bucket.public-why')}
        checked={isPublic}
        onChange={(event) => setPublic(event.currentTarget.checked)}
      />
      <TextInput
        label={t('bucket.limit')}
        description={t('bucket.limit-help', { size: printSize(projectLimitBytes) })}
        error={isLimitBad ? t('bucket.limit-bad') : undefined}
        value={limit}
        onChange={(event) => setLimit(event.currentTarget.value)}
      />
      <TextInput
        label={t('bucket.types')}
        description={t('bucket.types-help')}
        value={types}
        onChange={(event) => setTypes(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
