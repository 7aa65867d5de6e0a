import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatDateTime } from '../../lib/i18n.ts';
import { ErrorSummary, type Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { leaveFor } from '../account-api.ts';
import { linkAddress } from '../methods/api.ts';
import { Mark } from '../methods/mark.tsx';
import { usePageConfig } from '../page-config.ts';
import { problemFor } from '../problems.ts';
import { callAuth, type Identity, sessionClient, type User, walletOf } from '../session.ts';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { Card } from './card.tsx';
import { Entry, Meta } from './entry.tsx';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

/**
 * Lists identities from other providers. Email addresses and phone numbers are shown elsewhere. Users can't unlink
 * their last identity.
 */
export function IdentitiesSection({ user }: { user: User }) {
  const { providers, linking } = usePageConfig();
  const [done, setDone] = useState<string>();
  const [arrived, setArrived] = useState<readonly Problem[]>([]);
  const fresh = useFresh();
  const identities = user.identities ?? [];
  useEffect(() => {
    // A provider redirected the browser here. The parameter is removed, so that a reload doesn't show the message
    // again.
    const query = new URLSearchParams(window.location.search);
    const problem = query.get('problem');
    if (problem !== null) setArrived([problemFor(problem)]);
    if (query.has('linked')) setDone(t('identity.linked'));
    if (problem !== null || query.has('linked'))
      window.history.replaceState(null, '', window.location.pathname);
  }, []);
  const link = useSubmit(async () => undefined);
  const linkable = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id));
  if (
    identities.length <= 1 &&
    !identities.some(walletOf) &&
    (!linking || linkable.length === 0) &&
    done === undefined &&
    arrived.length === 0
  )
    return null;
  const reason = !linking
    ? t('identity.kept-by-project')
    : identities.length <= 1
      ? t('identity.last')
      : undefined;
  return (
    <Card title={t('identity.title')} intro={t('identity.intro')}>
      <ErrorSummary problems={[...arrived, ...link.problems]} />
      <div role="status">{done === undefined ? null : <Notice tone="success">{done}</Notice>}</div>
      <ul className={classes.list}>
        {identities.map((identity) => {
          const provider = providers.find(({ id }) => id === identity.provider);
          const name = provider?.name ?? ownName(identity);
          const who = walletOf(identity) ?? loginName(identity, user);
          const since = t('identity.since', { when: formatDateTime(identity.created_at) });
          return (
            <Entry
              key={identity.identity_id}
              name={name}
              meta={<Meta parts={[who, since]} />}
              kept={reason}
              remove={t('identity.unlink')}
              ask={t('identity.unlink-ask', { name })}
              onRemove={async () => {
                await callAuth(`/user/identities/${identity.identity_id}`, { method: 'DELETE' });
                await sessionClient().changed('USER_UPDATED');
                setDone(t('identity.unlinked', { name }));
              }}
            />
          );
        })}
      </ul>
      {linking && linkable.length > 0 ? (
        <div className={classes.actions}>
          {linkable.map(({ id, name, mark }) => (
            <Button
              key={id}
              variant="default"
              disabled={link.busy}
              leftSection={<Mark svg={mark} />}
              onClick={() =>
                fresh(() => void link.run(undefined, async () => leaveFor(await linkAddress(id))))
              }
            >
              {t('identity.link', { name })}
            </Button>
          ))}
        </div>
      ) : null}
    </Card>
  );
}

/** Returns the user's name at the provider. */
function loginName({ provider, identity_data: data }: Identity, { phone = '' }: User): string {
  if (provider === 'phone' && phone !== '') return `+${phone}`;
  return String(data?.email ?? data?.name ?? '');
}

function ownName({ provider, identity_data: data }: Identity): string {
  if (provider === 'web3') {
    const { chain } = (data?.custom_claims ?? {}) as { chain?: string };
    return chain === 'solana' ? t('wallet.solana') : t('wallet.ethereum');
  }
  if (provider === 'email') return t('field.email');
  if (provider === 'phone') return t('field.phone');
  if (provider.startsWith('sso:')) return t('identity.organization');
  return provider.replace(/^custom:/, '');
}
