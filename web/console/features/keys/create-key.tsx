/** The dialog that creates an additional key and shows the key once. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t as common } from '../../text.ts';
import form from '../operators/form.module.css';
import { type ApiKey, keysQuery } from './api.ts';
import { t } from './text.ts';

export function CreateKey({
  replaced,
  onClose,
}: {
  /** The key that the new key replaces, if any. The replaced key stays valid until it is revoked. */
  replaced: Pick<ApiKey, 'name' | 'kind'> | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(replaced === null ? '' : t('keys.replaced-name', { name: replaced.name }));
  const [kind, setKind] = useState<ApiKey['kind']>(replaced?.kind ?? 'publishable');
  const title = replaced === null ? t('keys.create') : t('keys.replace-of', { name: replaced.name });
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /keys/api', { body: { name, kind } }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
    gcTime: 0,
  });
  return (
    <Dialog onClose={onClose} title={data === undefined ? title : t('keys.created-title', { name })}>
      {data === undefined ? (
        <form
          className={form.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) mutate();
          }}
        >
          {error === null ? null : <ProblemBox error={error} />}
          {replaced === null ? null : (
            <p className={form.text}>{t('keys.replace-text', { name: replaced.name })}</p>
          )}
          <TextInput
            label={t('keys.name')}
            required
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('keys.kind')}
            disabled={replaced !== null}
            value={kind}
            data={(['publishable', 'secret'] as const).map((value) => ({
              value,
              label: t(`keys.kind-${value}`),
            }))}
            onChange={(event) => setKind(event.currentTarget.value as ApiKey['kind'])}
          />
          <div className={form.buttons}>
            <Button variant="default" size="sm" onClick={onClose}>
              {common('confirm.cancel')}
            </Button>
            <Button type="submit" size="sm" loading={isPending}>
              {t('keys.create')}
            </Button>
          </div>
        </form>
      ) : (
        <div className={form.form}>
          <p className={form.text}>{t('keys.created-text')}</p>
          {replaced === null ? null : (
            <p className={form.text}>{t('keys.replaced-text', { name: replaced.name })}</p>
          )}
          <div className={form.boxed}>
            <Copyable value={data.key} what={t('keys.key')} />
          </div>
          <div className={form.buttons}>
            <Button size="sm" onClick={onClose} autoFocus>
              {t('keys.done')}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
