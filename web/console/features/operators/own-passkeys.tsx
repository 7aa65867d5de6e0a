/** Lists the operator's passkeys, which can be added and removed. */
import { Button, CloseButton, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { Card } from '../../components/card.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { factorQuery, passkeysQuery } from './api.ts';
import classes from './form.module.css';
import { addPasskey, canUsePasskeys } from './passkey.ts';
import { t } from './text.ts';

/**
 * Shows the passkeys. Passkeys require an authenticator app, because operators who lose their passkeys need the app's
 * recovery codes.
 */
export function OwnPasskeys() {
  const { data: factor } = useQuery(factorQuery);
  return factor?.confirmed === true && canUsePasskeys() ? <Passkeys /> : null;
}

function Passkeys() {
  const queryClient = useQueryClient();
  const { data: passkeys = [], error } = useQuery(passkeysQuery);
  const [name, setName] = useState('');
  const onSuccess = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    setName('');
  };
  const add = useMutation({ mutationFn: () => addPasskey(name.trim()), onSuccess });
  const remove = useMutation({
    mutationFn: (id: string) => fetchConsole('DELETE /factor/passkeys/:id', { params: { id } }),
    onSuccess,
  });
  const problem = error ?? add.error ?? remove.error;
  return (
    <Card title={t('passkey.title')} text={t('passkey.text')}>
      <div className={classes.form}>
        {passkeys.map(({ id, name: each, createdAt, lastUsedAt }) => (
          <div key={id} className={classes.row}>
            <span>
              <strong>{each}</strong>{' '}
              <span className={classes.text}>
                {t(lastUsedAt === null ? 'passkey.made' : 'passkey.used')}{' '}
                <Moment at={lastUsedAt ?? createdAt} />
              </span>
            </span>
            <CloseButton
              size="sm"
              aria-label={t('passkey.remove', { name: each })}
              disabled={remove.isPending}
              onClick={() => remove.mutate(id)}
            />
          </div>
        ))}
        {problem === null ? null : <ProblemBox error={problem} />}
        <form
          className={classes.inline}
          onSubmit={(event) => {
            event.preventDefault();
            if (!add.isPending) add.mutate();
          }}
        >
          <TextInput
            size="xs"
            required
            maxLength={100}
            autoComplete="off"
            aria-label={t('passkey.name')}
            placeholder={t('passkey.name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default" loading={add.isPending}>
            {t('passkey.add')}
          </Button>
        </form>
      </div>
    </Card>
  );
}
