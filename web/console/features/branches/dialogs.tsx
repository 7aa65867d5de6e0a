/** The dialogs that create, merge, reset and delete a branch. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { branchesQuery, type MergePlan, mergePlanQuery } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const choices = ['copy', 'masked', 'none'] as const;
type DataChoice = (typeof choices)[number];

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: branchesQuery.queryKey });
}

export function CreateBranch({ canCopy, onClose }: { canCopy: boolean; onClose: () => void }) {
  const refresh = useRefresh();
  const allowed = canCopy ? choices : (['none'] as const);
  const [name, setName] = useState('');
  const [data, setData] = useState<DataChoice>(allowed[0]);
  const [isPersistent, setPersistent] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /branches', { body: { name: name.trim(), data, isPersistent } }),
    onSuccess: onClose,
    onSettled: refresh,
  });
  return (
    <FormDialog
      title={t('branches.create')}
      action={t('branches.create')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t('branches.name')}
        description={t('branches.name-hint')}
        value={name}
        required
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={t('branches.data')}
        value={data}
        data={allowed.map((value) => ({ value, label: t(`branches.data-choice-${value}`) }))}
        onChange={(event) => setData(event.currentTarget.value as DataChoice)}
      />
      <Checkbox
        label={t('branches.persistent')}
        checked={isPersistent}
        onChange={(event) => setPersistent(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

interface DialogProps {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}

export function MergeBranch({ id, name, onClose }: DialogProps) {
  const refresh = useRefresh();
  const { data: plan, error } = useQuery(mergePlanQuery(id));
  const merge = useMutation({
    mutationFn: () => fetchConsole('POST /branches/:id/merge', { params: { id } }),
    onSuccess: onClose,
    onSettled: refresh,
  });
  return (
    <FormDialog
      title={t('branches.merge-name', { name })}
      action={t('branches.merge')}
      isBusy={merge.isPending}
      error={merge.error ?? error}
      onSubmit={() => {
        if (plan !== undefined) merge.mutate();
      }}
      onClose={onClose}
    >
      {plan === undefined ? error === null ? <SkeletonLines lines={5} /> : null : <Plan plan={plan} />}
    </FormDialog>
  );
}

function Plan({ plan: { migrations, functions, unrecorded } }: { plan: MergePlan }) {
  return (
    <div className={classes.plan}>
      <p>
        {t(migrations.length + functions.length === 0 ? 'branches.merge-nothing' : 'branches.merge-text')}
      </p>
      {migrations.map((migration) => {
        const name = `${migration.version}_${migration.name}`;
        return (
          <div key={name}>
            <h3>{name}</h3>
            <CodeBlock text={migration.sql} what={t('branches.merge-sql', { name })} />
          </div>
        );
      })}
      {functions.length === 0 ? null : (
        <p>{t('branches.merge-functions', { names: functions.join(', ') })}</p>
      )}
      {unrecorded === '' ? null : (
        <Notice tone="warning">
          <p>{t('branches.merge-unrecorded')}</p>
        </Notice>
      )}
    </div>
  );
}

export function ResetBranch({ id, name, onClose }: DialogProps) {
  const refresh = useRefresh();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /branches/:id/reset', { params: { id } }),
    onSuccess: onClose,
    onSettled: refresh,
  });
  return (
    <Confirm
      title={t('branches.reset-name', { name })}
      action={t('branches.reset')}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t('branches.reset-text')}</p>
    </Confirm>
  );
}

export function DeleteBranch({ id, name, onClose }: DialogProps) {
  const refresh = useRefresh();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('DELETE /branches/:id', { params: { id } }),
    onSuccess: onClose,
    onSettled: refresh,
  });
  return (
    <Confirm
      title={t('branches.delete-name', { name })}
      action={t('branches.delete')}
      typed={name}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t('branches.delete-text')}</p>
    </Confirm>
  );
}
