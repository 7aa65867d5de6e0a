import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { queuesQuery } from '../api.ts';
import { t } from '../text.ts';

export function NewQueue({ onClose, onCreated }: { onClose: () => void; onCreated: (name: string) => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [unlogged, setUnlogged] = useState(false);
  const [rls, setRls] = useState(true);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('POST /jobs/queues', { body: { name, unlogged, rls } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: queuesQuery.queryKey });
      onCreated(name);
    },
  });
  return (
    <FormDialog
      title={t('queues.new')}
      action={t('queues.create')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t('queues.name')}
        description={t('queues.name-help')}
        required
        maxLength={47}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        label={t('queues.rls')}
        description={t('queues.rls-why')}
        checked={rls}
        onChange={(event) => setRls(event.currentTarget.checked)}
      />
      <Checkbox
        label={t('queues.unlogged')}
        description={t('queues.unlogged-why')}
        checked={unlogged}
        onChange={(event) => setUnlogged(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
