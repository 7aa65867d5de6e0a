/**
 * The step after the sign-in link, which verifies the second factor, or sets up a factor if the operator must have one.
 */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole, sessionQuery } from '../../api/session.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { CodeField, FactorSetup } from './factor-setup.tsx';
import classes from './form.module.css';
import { canUsePasskeys, provePasskey } from './passkey.ts';
import { t } from './text.ts';

export default function FactorStep({ state, onDone }: { state: 'owed' | 'missing'; onDone: () => void }) {
  const queryClient = useQueryClient();
  const goOn = (): void => void queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).then(onDone);
  return state === 'missing' ? (
    <>
      <h1>{t('factor.missing-title')}</h1>
      <p className={classes.text}>{t('factor.missing-text')}</p>
      <FactorSetup onDone={goOn} />
    </>
  ) : (
    <>
      <h1>{t('factor.owed-title')}</h1>
      <ProveFactor onDone={goOn} />
    </>
  );
}

/** Asks for a code from the authenticator app, a recovery code or a passkey. */
export function ProveFactor({ onDone }: { onDone: () => void }) {
  return (
    <>
      <Prove onDone={onDone} />
      {canUsePasskeys() ? <ByPasskey onDone={onDone} /> : null}
    </>
  );
}

function Prove({ onDone }: { onDone: () => void }) {
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('POST /factor/prove', { body: { code } }),
    onSuccess: onDone,
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
      <CodeField label={t('factor.code-or-recovery')} value={code} onChange={setCode} />
      <Button type="submit" loading={isPending}>
        {t('factor.confirm')}
      </Button>
    </form>
  );
}

function ByPasskey({ onDone }: { onDone: () => void }) {
  const { mutate, isPending, error } = useMutation({ mutationFn: provePasskey, onSuccess: onDone });
  return (
    <div className={classes.form}>
      {error === null ? null : <ProblemBox error={error} />}
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        {t('passkey.use')}
      </Button>
    </div>
  );
}
