/** The dialog that creates a function from a template. */
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { functionsQuery } from './api.ts';
import { t } from './text.ts';

const namePattern = /^[A-Za-z][A-Za-z0-9_-]*$/;

export function NewFunction({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (name: string) => void;
}) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [isChecked, setChecked] = useState(false);
  const isValid = namePattern.test(name);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('POST /functions', { body: { name } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: functionsQuery.queryKey });
      onCreated(name);
    },
  });
  return (
    <FormDialog
      title={t('functions.new')}
      action={t('functions.create')}
      isBusy={isPending}
      error={error}
      onSubmit={() => {
        setChecked(true);
        if (isValid) mutate();
      }}
      onClose={onClose}
    >
      <TextInput
        label={t('functions.name')}
        description={t('functions.name-path', { name: name === '' ? 'NAME' : name })}
        required
        maxLength={100}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
        value={name}
        error={isChecked && !isValid ? t('functions.name-bad') : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
