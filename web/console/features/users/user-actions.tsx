/** The actions on a user: confirm, reset the password, ban, act as the user and delete. */

import { Button, Checkbox, NativeSelect } from '@mantine/core';
import {
  IconBan,
  IconCircleCheck,
  IconHelpCircle,
  IconLink,
  IconMail,
  IconPassword,
  IconShieldOff,
  IconTrash,
  IconUserShare,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import type { Payload } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { ActionMenu, type MenuAction } from '../../components/action-menu.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useIntent } from '../../components/intent.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { ActAs } from './act-as.tsx';
import { banChoices, durationOf } from './ban-choices.ts';
import { t } from './text.ts';
import { useUserCall } from './use-user-call.ts';
import { isBanned as isBannedUntil, nameOf } from './user-name.ts';
import classes from './user-panel.module.css';

type Dialog = 'password' | 'factors' | 'ban' | 'act' | 'delete';

export function UserActions({ user, onDeleted }: { user: User; onDeleted: () => void }) {
  const [dialog, setDialog] = useState<Dialog>();
  const [link, setLink] = useState<string>();
  const [sentTo, setSentTo] = useState<string>();
  const { mutate, isPending, error, reset } = useUserCall<
    User | Payload<'POST /users/:id/reset'> | undefined
  >(user.id, (result) => {
    setDialog(undefined);
    setLink(result !== undefined && 'link' in result ? result.link : undefined);
  });
  useIntent({
    'ban-user': () => setDialog('ban'),
    'delete-user': () => setDialog('delete'),
    'act-as-user': () => setDialog('act'),
  });
  const params = { id: user.id };
  const close = (): void => {
    reset();
    setDialog(undefined);
  };
  const name = nameOf(user);
  const isBanned = isBannedUntil(user.banned_until);
  const { email, phone } = user;

  const unconfirmed = [
    ...(email && !user.email_confirmed_at ? (['email'] as const) : []),
    ...(phone && !user.phone_confirmed_at ? (['phone'] as const) : []),
  ];
  const actions: readonly MenuAction[] = [
    ...unconfirmed.map((what) => ({
      label: t(`users.confirm-${what}`),
      icon: <IconCircleCheck size={15} aria-hidden />,
      onChoose: () => mutate(() => fetchConsole('POST /users/:id/confirm', { params, body: { what } })),
    })),
    {
      label: t('users.set-password'),
      icon: <IconPassword size={15} aria-hidden />,
      onChoose: () => setDialog('password'),
    },
    ...(email
      ? [
          {
            label: t('users.reset-mail'),
            icon: <IconMail size={15} aria-hidden />,
            onChoose: () =>
              mutate(() => fetchConsole('POST /users/:id/reset', { params, body: { by: 'mail' } }), {
                onSuccess: () => setSentTo(email),
              }),
          },
          {
            label: t('users.reset-link'),
            icon: <IconLink size={15} aria-hidden />,
            onChoose: () =>
              mutate(() => fetchConsole('POST /users/:id/reset', { params, body: { by: 'link' } })),
          },
        ]
      : []),
    ...((user.factors ?? []).length > 0
      ? [
          {
            label: t('users.reset-factors'),
            icon: <IconShieldOff size={15} aria-hidden />,
            onChoose: () => setDialog('factors'),
          },
        ]
      : []),
    {
      label: t(isBanned ? 'users.unban' : 'users.ban'),
      icon: <IconBan size={15} aria-hidden />,
      onChoose: () =>
        isBanned
          ? mutate(() => fetchConsole('POST /users/:id/ban', { params, body: { hours: 0 } }))
          : setDialog('ban'),
    },
    {
      label: t('users.delete'),
      icon: <IconTrash size={15} aria-hidden />,
      isDanger: true,
      onChoose: () => setDialog('delete'),
    },
  ];

  return (
    <>
      <div className={classes.actions}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconUserShare size={15} aria-hidden />}
          onClick={() => setDialog('act')}
        >
          {t('users.act-as')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconHelpCircle size={15} aria-hidden />}
          renderRoot={(props) => <Link to="/why" search={{ as: `user:${user.id}` }} {...props} />}
        >
          {t('users.why')}
        </Button>
        <ActionMenu label={t('users.actions')} isBusy={isPending && dialog === undefined} actions={actions} />
      </div>
      <div role="status" className={classes.status}>
        {sentTo === undefined ? null : (
          <Notice tone="success">
            <p>{t('users.reset-sent', { email: sentTo })}</p>
          </Notice>
        )}
        {link === undefined ? null : (
          <Notice tone="warning" title={t('users.reset-link-title')}>
            <p>{t('users.reset-link-text', { name })}</p>
            <Copyable value={link} what={t('users.reset-link-title')} />
          </Notice>
        )}
      </div>
      {error === null || dialog !== undefined ? null : <ProblemBox error={error} />}
      {dialog === 'password' ? (
        <SetPassword
          isBusy={isPending}
          error={error}
          onSubmit={(password) =>
            mutate(() => fetchConsole('PATCH /users/:id', { params, body: { password } }))
          }
          onClose={close}
        />
      ) : null}
      {dialog === 'factors' ? (
        <Confirm
          title={t('users.reset-factors')}
          action={t('users.reset-factors')}
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate(() => fetchConsole('DELETE /users/:id/factors', { params }))}
          onClose={close}
        >
          <p>{t('users.reset-factors-text', { name })}</p>
        </Confirm>
      ) : null}
      {dialog === 'ban' ? (
        <Ban
          name={name}
          isBusy={isPending}
          error={error}
          onSubmit={(body) => mutate(() => fetchConsole('POST /users/:id/ban', { params, body }))}
          onClose={close}
        />
      ) : null}
      {dialog === 'act' ? <ActAs user={user} onClose={close} /> : null}
      {dialog === 'delete' ? (
        <Confirm
          title={t('users.delete')}
          action={t('users.delete')}
          typed={name}
          isBusy={isPending}
          error={error}
          onConfirm={() =>
            mutate(() => fetchConsole('DELETE /users/:id', { params }), { onSuccess: onDeleted })
          }
          onClose={close}
        >
          <p>{t('users.delete-text', { name })}</p>
        </Confirm>
      ) : null}
    </>
  );
}

interface DialogProps<Value> {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onSubmit: (value: Value) => void;
  readonly onClose: () => void;
}

function SetPassword({ isBusy, error, onSubmit, onClose }: DialogProps<string>) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title={t('users.set-password')}
      action={t('users.set-password')}
      isBusy={isBusy}
      error={error}
      onSubmit={() => onSubmit(password)}
      onClose={onClose}
    >
      <p>{t('users.set-password-text')}</p>
      <PasswordField
        label={t('users.new-password')}
        required
        autoComplete="new-password"
        data-autofocus
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function Ban({
  name,
  isBusy,
  error,
  onSubmit,
  onClose,
}: DialogProps<{ hours: number; endSessions: boolean }> & { name: string }) {
  const [hours, setHours] = useState('24');
  const [endSessions, setEndSessions] = useState(true);
  return (
    <FormDialog
      title={t('users.ban-title', { name })}
      action={t('users.ban')}
      isBusy={isBusy}
      error={error}
      onSubmit={() => onSubmit({ hours: Number(hours), endSessions })}
      onClose={onClose}
    >
      <p>{t('users.ban-text')}</p>
      <NativeSelect
        label={t('users.ban-for')}
        data-autofocus
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value)}
        data={banChoices.map((choice) => ({ value: String(choice), label: durationOf(choice) }))}
      />
      <Checkbox
        label={t('users.ban-end-sessions')}
        description={t('users.ban-end-sessions-why')}
        checked={endSessions}
        onChange={(event) => setEndSessions(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
