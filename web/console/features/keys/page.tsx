/** The page for API keys and signing keys. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Keys, keysQuery, reveal, type SecretName } from './api.ts';
import { FurtherKeys } from './further-keys.tsx';
import classes from './page.module.css';
import { RotateDefault } from './rotate-default.tsx';
import { SigningKeys } from './signing-keys.tsx';
import { t } from './text.ts';

export function KeysPage() {
  const { data, error } = useQuery(keysQuery);
  const mayOwn = useMay('own');
  return (
    <>
      <PageHead title={t('keys.title')} />
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={10} />
          ) : null
        ) : (
          <>
            {data.isWellKnown ? (
              <Notice tone="info">
                <p>{t('keys.known')}</p>
              </Notice>
            ) : null}
            <Defaults keys={data} mayOwn={mayOwn} />
            <FurtherKeys keys={data.apiKeys} mayOwn={mayOwn} />
            <SigningKeys keys={data} mayOwn={mayOwn} />
          </>
        )}
      </Cards>
    </>
  );
}

function Defaults({ keys, mayOwn }: { keys: Keys; mayOwn: boolean }) {
  return (
    <Card title={t('keys.default')} text={t('keys.default-text')}>
      <Facts layout="columns" className={classes.facts}>
        <Fact label={t('keys.publishable')}>
          <span className={classes.hidden}>
            <Copyable value={keys.publishableKey} what={t('keys.publishable')} />
            {mayOwn ? <RotateDefault kind="publishable" keys={keys} /> : null}
          </span>
        </Fact>
        <Secret
          name="secret"
          label={t('keys.secret')}
          hint={`${keys.secretKeyHint}…`}
          mayOwn={mayOwn}
          tools={mayOwn ? <RotateDefault kind="secret" keys={keys} /> : null}
        />
        <Fact label={t('keys.anon')}>
          <Copyable value={keys.anonKey} what={t('keys.anon')} />
        </Fact>
        <Secret name="service_role" label={t('keys.service-role')} mayOwn={mayOwn} />
        <Secret name="jwt_secret" label={t('keys.jwt-secret')} mayOwn={mayOwn} />
      </Facts>
      <p className={classes.legacy}>
        {t(keys.areLegacyKeysRotated ? 'keys.legacy-rotated' : 'keys.legacy-fixed')}
      </p>
    </Card>
  );
}

/** Shows a secret, which is fetched only when the operator reveals it. Only this component stores the secret. */
function Secret({
  name,
  label,
  hint = '••••••••••••',
  mayOwn,
  tools = null,
}: {
  name: SecretName;
  label: string;
  hint?: string;
  mayOwn: boolean;
  tools?: ReactNode;
}) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => reveal(name),
    gcTime: 0,
  });
  return (
    <Fact label={label}>
      {data === undefined ? (
        <span className={classes.hidden}>
          <code>{hint}</code>
          {mayOwn ? (
            <Button
              size="compact-xs"
              variant="default"
              loading={isPending}
              aria-label={t('keys.reveal-of', { name: label })}
              onClick={() => mutate()}
            >
              {t('keys.reveal')}
            </Button>
          ) : null}
          {tools}
        </span>
      ) : (
        <Copyable value={data} what={label} />
      )}
      {error === null ? null : <ProblemBox error={error} />}
    </Fact>
  );
}
