/**
 * Rotates a default key. Plinth can rotate only a key that it has generated. For a key from the settings, the dialog
 * explains what to change. The well-known key for local development has no button.
 */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t as common } from '../../text.ts';
import form from '../operators/form.module.css';
import { type ApiKey, type Keys, keysQuery } from './api.ts';
import { CreateKey } from './create-key.tsx';
import classes from './page.module.css';
import { RevokeKey } from './revoke-key.tsx';
import { t } from './text.ts';

type Kind = ApiKey['kind'];

export function RotateDefault({ kind, keys }: { kind: Kind; keys: Keys }) {
  const [isOpen, setOpen] = useState(false);
  const source = keys.defaultKeys[kind];
  if (source === 'well-known') return null;
  const close = (): void => setOpen(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('keys.replace-of', { name: t(`keys.${kind}`) })}
        onClick={() => setOpen(true)}
      >
        {t('keys.rotate')}
      </Button>
      {!isOpen ? null : source === 'generated' ? (
        <Rotate kind={kind} onClose={close} />
      ) : (
        <ChangeSetting kind={kind} onClose={close} />
      )}
    </>
  );
}

function Rotate({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const queryClient = useQueryClient();
  const name = t(`keys.${kind}`);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /keys/default/rotate', { body: { kind } }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
    gcTime: 0,
  });
  return (
    <Dialog
      title={data === undefined ? t('keys.replace-of', { name }) : t('keys.rotated-title', { name })}
      onClose={onClose}
    >
      <div className={form.form}>
        {data === undefined ? (
          <>
            <p className={form.text}>{t('keys.rotate-default-text')}</p>
            {error === null ? null : <ProblemBox error={error} />}
            <div className={form.buttons}>
              <Button variant="default" size="sm" onClick={onClose}>
                {common('confirm.cancel')}
              </Button>
              <Button size="sm" loading={isPending} data-autofocus onClick={() => mutate()}>
                {t('keys.rotate')}
              </Button>
            </div>
          </>
        ) : (
          <>
            <p className={form.text}>{t(`keys.rotated-${kind}`)}</p>
            <div className={form.boxed}>
              <Copyable value={data.key} what={t('keys.key')} />
            </div>
            <PreviousKey id={data.previous.id} onRevoked={onClose} />
            <div className={form.buttons}>
              <Button size="sm" onClick={onClose} autoFocus>
                {t('keys.done')}
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Shows when the old key was last used, so that the operator knows whether the key can be revoked. */
function PreviousKey({ id, onRevoked }: { id: string; onRevoked: () => void }) {
  const { data } = useQuery({ ...keysQuery, refetchInterval: 5000 });
  const [isRevoking, setRevoking] = useState(false);
  const key = data?.apiKeys.find((each) => each.id === id);
  if (key === undefined) return null;
  return (
    <div className={form.row}>
      <span>
        <strong>{t('keys.old')}</strong> <code>{key.hint}…</code>
        <br />
        <span className={form.text}>
          {t('keys.last-used')}:{' '}
          {key.lastUsedAt === null ? t('keys.not-used') : <Moment at={key.lastUsedAt} relative />}
        </span>
      </span>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('keys.revoke-of', { name: key.name })}
        onClick={() => setRevoking(true)}
      >
        {t('keys.revoke')}
      </Button>
      {isRevoking ? (
        <RevokeKey apiKey={key} onRevoked={onRevoked} onClose={() => setRevoking(false)} />
      ) : null}
    </div>
  );
}

function ChangeSetting({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const [isCreating, setCreating] = useState(false);
  const name = t(`keys.${kind}`);
  return (
    <Dialog title={t('keys.replace-of', { name })} onClose={onClose}>
      <div className={form.form}>
        <p className={form.text}>{t('keys.setting-why')}</p>
        <ol className={classes.steps}>
          <li>{t(`keys.setting-create-${kind}`)}</li>
          <li>
            {t('keys.setting-change')}{' '}
            <Link to="/settings" search={{ section: 'keys', setting: `auth.${kind}_key` }}>
              auth.{kind}_key
            </Link>
          </li>
        </ol>
        <div className={form.buttons}>
          <Button size="sm" onClick={() => setCreating(true)} data-autofocus>
            {t('keys.create')}
          </Button>
        </div>
      </div>
      {isCreating ? (
        <CreateKey
          replaced={{ name: t('keys.default-name', { name }), kind }}
          onClose={() => setCreating(false)}
        />
      ) : null}
    </Dialog>
  );
}
