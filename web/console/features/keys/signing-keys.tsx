import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Card } from '../../components/frame/card.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import { type Keys, keysQuery, type SigningKey } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const algorithms = ['ES256', 'RS256', 'EdDSA', 'HS256'] as const;
type Algorithm = (typeof algorithms)[number];
const tones: Readonly<Record<SigningKey['state'], TagTone>> = {
  'in use': 'success',
  standby: 'info',
  previous: 'warning',
  secret: 'plain',
};
const stateIds = {
  'in use': 'keys.state-in-use',
  standby: 'keys.state-standby',
  previous: 'keys.state-previous',
  secret: 'keys.state-secret',
} as const;

/** Returns the next step of a rotation. */
function nextStep({ signing, jwtExpirySeconds }: Keys): string {
  const has = (state: SigningKey['state']): boolean => signing.some((key) => key.state === state);
  if (has('standby')) return t('keys.signing-next-rotate');
  if (!has('previous')) return t('keys.signing-next-standby');
  return t('keys.signing-next-revoke', { minutes: Math.ceil(jwtExpirySeconds / 60) });
}

type Confirmation = { readonly what: 'rotate' | 'revoke'; readonly key: SigningKey };

export function SigningKeys({ keys, mayOwn }: { keys: Keys; mayOwn: boolean }) {
  const queryClient = useQueryClient();
  const [algorithm, setAlgorithm] = useState<Algorithm>('ES256');
  const [confirmation, setConfirmation] = useState<Confirmation | undefined>();
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
  const standby = useMutation({
    mutationFn: () => fetchConsole('POST /keys/signing', { body: { algorithm } }),
    onSettled: refresh,
  });
  const act = useMutation({
    mutationFn: ({ what, key: { kid } }: Confirmation) =>
      what === 'rotate'
        ? fetchConsole('POST /keys/signing/rotate', { body: { kid } })
        : fetchConsole('DELETE /keys/signing/:kid', { params: { kid } }),
    onSuccess: () => setConfirmation(undefined),
    onSettled: refresh,
  });
  const mayChange = mayOwn && keys.signingFile;
  return (
    <>
      <Card
        title={t('keys.signing')}
        text={keys.signingFile ? `${t('keys.signing-text')} ${nextStep(keys)}` : t('keys.signing-fixed')}
        flush
        tools={
          mayChange ? (
            <>
              <NativeSelect
                size="xs"
                aria-label={t('keys.algorithm')}
                value={algorithm}
                data={[...algorithms]}
                onChange={(event) => setAlgorithm(event.currentTarget.value as Algorithm)}
              />
              <Button size="compact-sm" loading={standby.isPending} onClick={() => standby.mutate()}>
                {t('keys.standby')}
              </Button>
            </>
          ) : null
        }
      >
        {standby.error === null ? null : <ProblemBox error={standby.error} />}
        <table className={list.table}>
          <caption className="visually-hidden">{t('keys.signing')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('keys.key')}</th>
              <th scope="col">{t('keys.state')}</th>
              <th scope="col" className={list.wide}>
                {t('keys.last-used')}
              </th>
              {mayChange ? <td aria-hidden /> : null}
            </tr>
          </thead>
          <tbody>
            {keys.signing.map((key) => (
              <tr key={key.kid}>
                <td>
                  <code className={classes.kid}>{key.kid || '—'}</code>{' '}
                  <span className={list.dim}>{key.algorithm}</span>
                </td>
                <td>
                  <Tag tone={tones[key.state]}>{t(stateIds[key.state])}</Tag>
                </td>
                <td className={`${list.wide} ${list.dim}`} title={key.subjects.join('\n')}>
                  {key.lastUsedAt === null ? (
                    t('keys.not-used')
                  ) : (
                    <>
                      <Moment at={key.lastUsedAt} relative /> · {t('keys.uses', { count: key.uses })} ·{' '}
                      {t('keys.users', { count: key.subjects.length })}
                    </>
                  )}
                </td>
                {mayChange ? (
                  <td className={list.actions}>
                    {key.state === 'standby' ? (
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={t('keys.rotate-of', { kid: key.kid })}
                        onClick={() => setConfirmation({ what: 'rotate', key })}
                      >
                        {t('keys.rotate')}
                      </Button>
                    ) : null}{' '}
                    {key.state === 'standby' || key.state === 'previous' ? (
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={t('keys.revoke-of', { name: key.kid })}
                        onClick={() => setConfirmation({ what: 'revoke', key })}
                      >
                        {t('keys.revoke')}
                      </Button>
                    ) : null}
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      {confirmation === undefined ? null : (
        <Confirm
          title={
            confirmation.what === 'rotate'
              ? t('keys.rotate-of', { kid: confirmation.key.kid })
              : t('keys.revoke-of', { name: confirmation.key.kid })
          }
          action={t(confirmation.what === 'rotate' ? 'keys.rotate' : 'keys.revoke')}
          {...(confirmation.what === 'revoke' ? { typed: confirmation.key.kid.slice(0, 8) } : {})}
          isBusy={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(confirmation)}
          onClose={() => {
            act.reset();
            setConfirmation(undefined);
          }}
        >
          <p>
            {confirmation.what === 'rotate'
              ? t('keys.rotate-text')
              : t('keys.revoke-signing-text', { minutes: Math.ceil(keys.jwtExpirySeconds / 60) })}
          </p>
          {keys.areLegacyKeysRotated && confirmation.what === 'rotate' ? (
            <p>{t('keys.rotate-legacy-text')}</p>
          ) : null}
          {keys.areLegacyKeysRotated &&
          confirmation.what === 'revoke' &&
          confirmation.key.state === 'previous' ? (
            <p>{t('keys.revoke-legacy-text')}</p>
          ) : null}
          {confirmation.what === 'revoke' && confirmation.key.subjects.length > 0 ? (
            <p>
              {t('keys.who', { kid: confirmation.key.kid.slice(0, 8) })}:{' '}
              {confirmation.key.subjects.slice(0, 5).join(', ')}
            </p>
          ) : null}
        </Confirm>
      )}
    </>
  );
}
