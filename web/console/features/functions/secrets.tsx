/** The names of the secrets that all functions receive. Secrets can be set and removed while the server runs. */
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconArrowLeft, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { PasswordField } from '../../../ui/password-field.tsx';
import { fetchConsole, useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import classes from './activity.module.css';
import { functionsQuery, secretsQuery } from './api.ts';
import page from './page.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/functions');

export function Secrets() {
  const mayWrite = useMay('write');
  const { data, error } = useQuery(secretsQuery);
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  return (
    <section className={page.opened} aria-labelledby="function-secrets">
      <header className={page.head}>
        <ActionIcon
          className={page.back}
          variant="subtle"
          color="gray"
          aria-label={t('functions.back')}
          onClick={() => void navigate({ search: {} })}
        >
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <h2 id="function-secrets" className={page.title}>
          {t('secrets.title')}
        </h2>
      </header>
      <p className={classes.dim}>{t('secrets.text')}</p>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined || data.length === 0 ? null : (
        <div className={classes.secrets}>
          <table className={list.table}>
            <caption className="visually-hidden">{t('secrets.title')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('secrets.name')}</th>
                <th scope="col">{t('functions.changed')}</th>
                {mayWrite ? <td /> : null}
              </tr>
            </thead>
            <tbody>
              {data.map(({ name, updatedAt }) => (
                <tr key={name}>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td className={list.dim}>
                    <Moment at={updatedAt} relative />
                  </td>
                  {mayWrite ? (
                    <td className={list.actions}>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={t('secrets.remove', { name })}
                        title={t('secrets.remove', { name })}
                        onClick={() => setRemoving(name)}
                      >
                        <IconTrash size={16} aria-hidden />
                      </ActionIcon>
                    </td>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data?.length === 0 ? <p className={classes.dim}>{t('secrets.none')}</p> : null}
      {mayWrite ? (
        <div>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            {t('secrets.set')}
          </Button>
        </div>
      ) : null}
      {isAdding ? <SetSecret onClose={() => setAdding(false)} /> : null}
      {removing === undefined ? null : (
        <RemoveSecret name={removing} onClose={() => setRemoving(undefined)} />
      )}
    </section>
  );
}

function useSecretCall(call: () => Promise<unknown>, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess: async () => {
      onDone();
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: secretsQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: functionsQuery.queryKey }),
      ]);
    },
  });
}

function SetSecret({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const { mutate, isPending, error } = useSecretCall(
    () => fetchConsole('POST /function-secrets', { body: { name: name.trim(), value } }),
    onClose,
  );
  return (
    <FormDialog
      title={t('secrets.set')}
      action={t('secrets.set')}
      isBusy={isPending}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <p>{t('secrets.set-text')}</p>
      <TextInput
        label={t('secrets.name')}
        required
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordField
        label={t('secrets.value')}
        required
        autoComplete="off"
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function RemoveSecret({ name, onClose }: { name: string; onClose: () => void }) {
  const { mutate, isPending, error } = useSecretCall(
    () => fetchConsole('DELETE /function-secrets/:name', { params: { name } }),
    onClose,
  );
  return (
    <Confirm
      title={t('secrets.remove', { name })}
      action={t('secrets.remove-go')}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t('secrets.remove-text')}</p>
    </Confirm>
  );
}
