import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PasswordField } from '../../../ui/password-field.tsx';
import { callConsole } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t } from '../../text.ts';
import classes from './create-user.module.css';

export function CreateUser({ onClose, onCreated }: { onClose: () => void; onCreated: (user: User) => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [confirmed, setConfirmed] = useState(true);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => callConsole<User>('/users', { method: 'POST', body: { email, password, confirmed } }),
    onSuccess: (user) => {
      void queryClient.invalidateQueries({ queryKey: ['users'] });
      onCreated(user);
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('users.create')}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t('panel.close') }}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) mutate();
        }}
      >
        {error === null ? null : <ProblemBox error={error} />}
        <TextInput
          label={t('users.email')}
          type="email"
          required
          autoComplete="off"
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordField
          label={t('users.password')}
          required
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
        <div className={classes.buttons}>
          <Button variant="default" size="sm" onClick={onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" size="sm" loading={isPending}>
            {t('users.create')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
