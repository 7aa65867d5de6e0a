import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PasswordField } from '../../../ui/password-field.tsx';
import { fetchConsole } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { t } from './text.ts';

export function CreateUser({ onClose, onCreated }: { onClose: () => void; onCreated: (user: User) => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [phone, setPhone] = useState('');
  const [password, setPassword] = useState('');
  const [confirmed, setConfirmed] = useState(true);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /users', {
        body: {
          confirmed,
          ...(email === '' ? {} : { email }),
          ...(phone === '' ? {} : { phone }),
          ...(password === '' ? {} : { password }),
        },
      }),
    onSuccess: (user) => {
      void queryClient.invalidateQueries({ queryKey: ['users'] });
      onCreated(user);
    },
  });
  return (
    <FormDialog
      title={t('users.create')}
      action={t('users.create')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p>{t('users.phone-or-email')}</p>
      <TextInput
        label={t('users.email')}
        type="email"
        required={phone === ''}
        autoComplete="off"
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput
        label={t('users.phone-field')}
        type="tel"
        autoComplete="off"
        value={phone}
        onChange={(event) => setPhone(event.currentTarget.value)}
      />
      <PasswordField
        label={t('users.password')}
        required={email !== ''}
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Checkbox
        label={t('users.confirm-now')}
        description={t('users.confirm-now-why')}
        checked={confirmed}
        onChange={(event) => setConfirmed(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
