import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { addPasskey } from '../methods/api.ts';
import { supportsKeys } from '../methods/key-support.ts';
import { Form, Waiting } from '../parts.tsx';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
import { Card, LoadFailed } from './card.tsx';
import { Entry } from './entry.tsx';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

interface Passkey {
  readonly id: string;
  readonly friendly_name?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

const none: never[] = [];

/** Lists passkeys, which users can add, rename and remove. */
export function PasskeysSection({ user }: { user: User }) {
  const cache = useQueryClient();
  const queryKey = ['passkeys', user.id];
  const [done, setDone] = useState<string>();
  const fresh = useFresh();
  const list = useQuery({ queryKey, queryFn: () => callAuth<Passkey[]>('/passkeys') });
  const reload = () => cache.invalidateQueries({ queryKey });
  const add = useSubmit(async () => {
    setDone(undefined);
    await addPasskey();
    await reload();
    setDone(t('passkey.ready'));
    return undefined;
  });
  return (
    <Card
      title={t('passkey.title')}
      intro={t('passkey.intro')}
      action={
        supportsKeys() ? (
          <Button variant="default" loading={add.busy} onClick={() => fresh(() => void add.run(undefined))}>
            {t('passkey.add')}
          </Button>
        ) : null
      }
    >
      <ErrorSummary problems={add.problems} />
      <div role="status">{done === undefined ? null : <Notice tone="success">{done}</Notice>}</div>
      {list.isPending ? <Waiting /> : null}
      {list.isError ? <LoadFailed onAgain={() => void list.refetch()} /> : null}
      {list.data?.length === 0 ? <p className={classes.meta}>{t('passkey.none')}</p> : null}
      <ul className={classes.list}>
        {(list.data ?? none).map((passkey) => (
          <PasskeyEntry
            key={passkey.id}
            passkey={passkey}
            onChanged={async (text) => {
              await reload();
              setDone(text);
            }}
          />
        ))}
      </ul>
      {supportsKeys() ? null : <p className={classes.meta}>{t('passkey.unsupported')}</p>}
    </Card>
  );
}

function PasskeyEntry({
  passkey,
  onChanged,
}: {
  passkey: Passkey;
  onChanged: (text: string) => Promise<void>;
}) {
  const [naming, setNaming] = useState(false);
  const name = passkey.friendly_name || t('passkey.unnamed');
  const nameId = `passkey-${passkey.id}`;
  const rename = useSubmit(async (field) => {
    const wanted = field('name').trim();
    if (wanted === '') return [{ text: t('passkey.name-missing'), fieldId: nameId }];
    await callAuth(`/passkeys/${passkey.id}`, { method: 'PATCH', body: { friendly_name: wanted } });
    setNaming(false);
    await onChanged(t('passkey.renamed', { name: wanted }));
    return undefined;
  });
  if (naming) {
    return (
      <li className={classes.item}>
        <Form
          onSubmit={rename.onSubmit}
          problems={rename.problems}
          label={t('passkey.rename-what', { name })}
        >
          <TextInput
            id={nameId}
            name="name"
            size="md"
            label={t('passkey.name')}
            defaultValue={name}
            autoComplete="off"
            maxLength={100}
            data-autofocus
            error={rename.errorAt(nameId)}
          />
          <div className={classes.actions}>
            <FormButton loading={rename.busy}>{t('passkey.save')}</FormButton>
            <Button variant="default" onClick={() => setNaming(false)}>
              {t('security.cancel')}
            </Button>
          </div>
        </Form>
      </li>
    );
  }
  const used =
    passkey.last_used_at === undefined
      ? t('security.factor-added', { when: formatDateTime(passkey.created_at) })
      : t('passkey.used', { when: formatRelative(passkey.last_used_at) });
  return (
    <Entry
      name={name}
      meta={used}
      remove={t('security.factor-remove')}
      ask={t('passkey.remove-ask', { name })}
      onRemove={async () => {
        await callAuth(`/passkeys/${passkey.id}`, { method: 'DELETE' });
        await onChanged(t('passkey.removed'));
      }}
    >
      <Button
        variant="default"
        aria-label={t('passkey.rename-what', { name })}
        onClick={() => setNaming(true)}
      >
        {t('passkey.rename')}
      </Button>
    </Entry>
  );
}
