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

/** Creates an invitation for an operator with a name and a role, and shows the invitation link once. */
export function Invite({ canSendMail, onClose }: { canSendMail: boolean; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => fetchConsole('POST /operators', { body: { name, role } }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: operatorsKey }),
  });
  if (data !== undefined)
    return (
      <InvitationLink
        operator={data.operator}
        invitation={data}
        canSendMail={canSendMail}
        onClose={onClose}
      />
    );
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
  operator: { id, name },
  invitation,
  canSendMail,
  onClose,
}: {
  operator: { readonly id: string; readonly name: string };
  invitation: Invitation;
  canSendMail: boolean;
  onClose: () => void;
}) {
  const [sent, setSent] = useState<{ readonly email: string; readonly expiresAt: string }>();
  if (sent !== undefined)
    return (
      <Dialog onClose={onClose} title={t('operators.sent-title')}>
        <div className={classes.form}>
          <p role="status">
            {t('operators.sent', { email: sent.email, until: formatDateTime(sent.expiresAt) })}
          </p>
          <div className={classes.buttons}>
            <Button size="sm" onClick={onClose} data-autofocus>
              {t('operators.done')}
            </Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog onClose={onClose} title={t('operators.link-title', { name })}>
      <div className={classes.form}>
        <p className={classes.text}>
          {t('operators.link-why', { name, until: formatDateTime(invitation.expiresAt) })}
        </p>
        <div className={classes.boxed}>
          <Copyable value={invitation.link} what={t('operators.link')} />
        </div>
        {canSendMail ? (
          <SendLink id={id} onSent={setSent} />
        ) : (
          <p className={classes.text}>{t('operators.no-smtp')}</p>
        )}
        <div className={classes.buttons}>
          <Button size="sm" onClick={onClose} data-autofocus>
            {t('operators.done')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Sends a new link by email, which replaces the link that is shown. */
function SendLink({
  id,
  onSent,
}: {
  id: string;
  onSent: (sent: { readonly email: string; readonly expiresAt: string }) => void;
}) {
  const [email, setEmail] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /operators/:id/link/send', { params: { id }, body: { email: email.trim() } }),
    onSuccess: ({ expiresAt }) => onSent({ email: email.trim(), expiresAt }),
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate();
      }}
    >
      {error === null ? null : <ProblemBox error={error} />}
      <TextInput
        type="email"
        label={t('operators.send-to')}
        description={t('operators.send-why')}
        required
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <div className={classes.buttons}>
        <Button type="submit" size="sm" variant="default" loading={isPending}>
          {t('operators.send')}
        </Button>
      </div>
    </form>
  );
}
