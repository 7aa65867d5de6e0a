import { Button, Radio, TextInput } from '@mantine/core';
import '@mantine/core/styles/Radio.layer.css';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '../../../lib/i18n.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t as common } from '../../text.ts';
import { type Invitation, operatorsKey, type Role, roles } from './api.ts';
import classes from './form.module.css';
import { t } from './text.ts';

/** Invites an operator with a name and a role, then shows the link once. */
export function Invite({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => fetchConsole('POST /operators', { body: { name, role } }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: operatorsKey }),
  });
  if (data !== undefined) return <InvitationLink name={name} invitation={data} onClose={onClose} />;
  return (
    <Dialog onClose={onClose} title={t('operators.invite')}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) mutate();
        }}
      >
        {error === null ? null : <ProblemBox error={error} />}
        <TextInput
          label={t('operators.name')}
          required
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Radio.Group label={t('operators.role')} value={role} onChange={(value) => setRole(value as Role)}>
          <div className={classes.roles}>
            {roles.map((each) => (
              <Radio
                key={each}
                value={each}
                label={t(`operators.role-${each}`)}
                description={t(`operators.role-${each}-why`)}
              />
            ))}
          </div>
        </Radio.Group>
        <div className={classes.buttons}>
          <Button variant="default" size="sm" onClick={onClose}>
            {common('confirm.cancel')}
          </Button>
          <Button type="submit" size="sm" loading={isPending}>
            {t('operators.invite')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function InvitationLink({
  name,
  invitation,
  onClose,
}: {
  name: string;
  invitation: Invitation;
  onClose: () => void;
}) {
  return (
    <Dialog onClose={onClose} title={t('operators.link-title', { name })}>
      <div className={classes.form}>
        <p className={classes.text}>
          {t('operators.link-why', { name, until: formatDateTime(invitation.expiresAt) })}
        </p>
        <div className={classes.boxed}>
          <Copyable value={invitation.link} what={t('operators.link')} />
        </div>
        <div className={classes.buttons}>
          <Button size="sm" onClick={onClose} data-autofocus>
            {t('operators.done')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
