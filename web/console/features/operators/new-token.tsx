import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '../../../lib/i18n.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole, sessionQuery } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t as common } from '../../text.ts';
import { type Role, roles } from './api.ts';
import classes from './form.module.css';
import { t } from './text.ts';

const lifetimes = [7, 30, 90, 365, null] as const;
type Lifetime = (typeof lifetimes)[number];

function lifetimeText(days: Lifetime): string {
  if (days === null) return t('tokens.lifetime-never');
  return days === 365 ? t('tokens.lifetime-year') : t('tokens.lifetime-days', { days });
}

/** Creates a token with a name, a role and a lifetime, and shows the token once. */
export function NewToken({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  // The roles are sorted by permissions.
  const allowed = roles.slice(roles.indexOf(session?.operator.role ?? 'read-only'));
  const [name, setName] = useState('');
  const [chosen, setRole] = useState<Role | undefined>();
  const role = chosen ?? allowed[0] ?? 'read-only';
  const [lifetimeDays, setLifetime] = useState<Lifetime>(90);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /tokens', { body: { name, role, lifetimeDays } }),
    onSuccess: onCreated,
    // The token must not remain in the cache.
    gcTime: 0,
  });
  const roleText = t(`operators.role-${role}`);
  return (
    <Dialog
      onClose={onClose}
      title={data === undefined ? t('tokens.create') : t('tokens.created-title', { name })}
    >
      {data === undefined ? (
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) mutate();
          }}
        >
          {error === null ? null : <ProblemBox error={error} />}
          <TextInput
            label={t('tokens.name')}
            description={t('tokens.name-hint')}
            required
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('tokens.role')}
            description={t('tokens.role-hint')}
            value={role}
            data={allowed.map((value) => ({ value, label: t(`operators.role-${value}`) }))}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
          />
          <NativeSelect
            label={t('tokens.lifetime')}
            value={String(lifetimeDays)}
            data={lifetimes.map((days) => ({ value: String(days), label: lifetimeText(days) }))}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setLifetime(lifetimes.find((days) => String(days) === value) ?? null);
            }}
          />
          <div className={classes.buttons}>
            <Button variant="default" size="sm" onClick={onClose}>
              {common('confirm.cancel')}
            </Button>
            <Button type="submit" size="sm" loading={isPending}>
              {t('tokens.create')}
            </Button>
          </div>
        </form>
      ) : (
        <div className={classes.form}>
          <p className={classes.text}>
            {t('tokens.created-text', { role: roleText })}
            {data.expiresAt === null
              ? null
              : ` ${t('tokens.created-expires', { until: formatDateTime(data.expiresAt) })}`}
          </p>
          <div className={classes.boxed}>
            <Copyable value={data.token} what={t('tokens.token')} />
          </div>
          <p className={classes.text}>{t('tokens.use')}</p>
          <div className={classes.boxed}>
            <Copyable value={ownCommand(`link ${window.location.origin}`)} what={t('tokens.use')} />
          </div>
          <div className={classes.buttons}>
            <Button size="sm" onClick={onClose} autoFocus>
              {t('tokens.done')}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
