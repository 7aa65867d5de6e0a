/**
 * Sets up an authenticator app. Shows the app's secret key, verifies a code from the app and then shows the recovery
 * codes.
 */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import classes from './form.module.css';
import { t } from './text.ts';

export function FactorSetup({ onDone }: { onDone: () => void }) {
  // The query creates only one key even if the component renders twice. Each time the form opens, a new key is created.
  const { data, error } = useQuery({
    queryKey: ['factor-setup'],
    queryFn: () => fetchConsole('POST /factor'),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => fetchConsole('POST /factor/confirm', { body: { code } }),
  });
  if (confirm.data !== undefined) return <RecoveryCodes codes={confirm.data.recoveryCodes} onDone={onDone} />;
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={5} />;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!confirm.isPending) confirm.mutate();
      }}
    >
      <p className={classes.text}>{t('factor.scan')}</p>
      <img className={classes.qr} src={data.qr} alt={t('factor.qr')} width={176} height={176} />
      <div className={classes.boxed}>
        <Copyable value={data.secret} what={t('factor.key')} />
      </div>
      {confirm.error === null ? null : <ProblemBox error={confirm.error} />}
      <CodeField label={t('factor.code')} value={code} onChange={setCode} />
      <div className={classes.buttons}>
        <Button type="submit" size="sm" loading={confirm.isPending}>
          {t('factor.confirm')}
        </Button>
      </div>
    </form>
  );
}

export function CodeField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextInput
      label={label}
      value={value}
      required
      inputMode="numeric"
      autoComplete="one-time-code"
      data-autofocus
      autoFocus
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div className={classes.form}>
      <div className={classes.row}>
        <h3>{t('factor.codes-title')}</h3>
        <CopyButton value={codes.join('\n')} what={t('factor.codes-title')} />
      </div>
      <p className={classes.text}>{t('factor.codes-why')}</p>
      <ul className={classes.codes} aria-label={t('factor.codes-title')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={classes.buttons}>
        <Button size="sm" onClick={onDone} data-autofocus autoFocus>
          {t('factor.codes-kept')}
        </Button>
      </div>
    </div>
  );
}
