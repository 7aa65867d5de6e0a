import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { t } from './text.ts';

export function InviteUser({ onClose, onInvited }: { onClose: () => void; onInvited: (user: User) => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('POST /users/invite', { body: { email } }),
    onSuccess: (user) => {
      void queryClient.invalidateQueries({ queryKey: ['users'] });
      onInvited(user);
    },
  });
  return (
    <FormDialog
      title={t('users.invite-title')}
      action={t('users.invite-send')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p>{t('users.invite-text')}</p>
      <TextInput
        label={t('users.email')}
        type="email"
        required
        autoComplete="off"
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** Shows that the invitation was sent. */
export function InvitationSent({ to }: { to: string | undefined }) {
  return (
    <div role="status">
      {to === undefined ? null : <Notice tone="success">{t('users.invite-sent', { email: to })}</Notice>}
    </div>
  );
}
