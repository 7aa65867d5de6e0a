import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Card } from '../../components/card.tsx';
import { Confirm } from '../../components/confirm.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { t as common } from '../../text.ts';
import form from '../operators/form.module.css';
import { type ApiKey, keysQuery } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export function FurtherKeys({ keys, mayOwn }: { keys: readonly ApiKey[]; mayOwn: boolean }) {
  const queryClient = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | undefined>();
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
  const revoke = useMutation({
    mutationFn: ({ id }: ApiKey) => fetchConsole('DELETE /keys/api/:id', { params: { id } }),
    onSuccess: () => setRevoking(undefined),
    onSettled: refresh,
  });
  return (
    <>
      <Card
        title={t('keys.further')}
        text={t('keys.further-text')}
        flush
        tools={
          mayOwn ? (
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => setCreating(true)}
            >
              {t('keys.create')}
            </Button>
          ) : null
        }
      >
        {keys.length === 0 ? (
          <p className={classes.none}>{t('keys.none')}</p>
        ) : (
          <table className={list.table}>
            <caption className="visually-hidden">{t('keys.further')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('keys.name')}</th>
                <th scope="col" className={list.wide}>
                  {t('keys.key')}
                </th>
                <th scope="col" className={list.wide}>
                  {t('keys.created')}
                </th>
                <th scope="col">{t('keys.last-used')}</th>
                {mayOwn ? <td aria-hidden /> : null}
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td>
                    {key.name}{' '}
                    <Tag tone={key.kind === 'secret' ? 'warning' : 'info'}>{t(`keys.kind-${key.kind}`)}</Tag>
                  </td>
                  <td className={list.wide}>
                    <code>{key.hint}…</code>
                  </td>
                  <td className={`${list.wide} ${list.dim}`}>
                    <Moment at={key.createdAt} /> · {key.createdBy}
                  </td>
                  <td className={list.dim}>
                    {key.lastUsedAt === null ? t('keys.not-used') : <Moment at={key.lastUsedAt} relative />}
                  </td>
                  {mayOwn ? (
                    <td>
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={t('keys.revoke-of', { name: key.name })}
                        onClick={() => setRevoking(key)}
                      >
                        {t('keys.revoke')}
                      </Button>
                    </td>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Card>
      {isCreating ? <Create onClose={() => setCreating(false)} onCreated={refresh} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={t('keys.revoke-of', { name: revoking.name })}
          action={t('keys.revoke')}
          typed={revoking.name}
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>{t('keys.revoke-text')}</p>
        </Confirm>
      )}
    </>
  );
}

function Create({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<ApiKey['kind']>('publishable');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /keys/api', { body: { name, kind } }),
    onSuccess: onCreated,
    gcTime: 0,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={data === undefined ? t('keys.create') : t('keys.created-title', { name })}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': common('panel.close') }}
    >
      {data === undefined ? (
        <form
          className={form.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) mutate();
          }}
        >
          {error === null ? null : <ProblemBox error={error} />}
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
    </Modal>
  );
}
