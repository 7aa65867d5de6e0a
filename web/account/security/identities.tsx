import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { formatDateTime } from '../../lib/i18n.ts';
import { ErrorSummary, type Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { leaveFor, unlink } from '../account-api.ts';
import { problemFor } from '../form/problems.ts';
import { useSubmit } from '../form/use-submit.ts';
import { linkAddress } from '../methods/api.ts';
import { Mark } from '../methods/mark.tsx';
import { usePageConfig } from '../page-config.ts';
import { providerName } from '../provider-name.ts';
import { type Identity, type User, walletOf } from '../session.ts';
import { t } from '../text.ts';
import { Card } from './card.tsx';
import { Entry, Meta } from './entry.tsx';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

/**
 * Lists identities from other providers. Email addresses and phone numbers are shown in other sections. Users can't
 * unlink their last identity, unless they can still sign in with a confirmed address.
 */
export function IdentitiesSection({ user }: { user: User }) {
  const { providers, linking, offers } = usePageConfig();
  const [done, setDone] = useState<string>();
  const [arrived, setArrived] = useState<readonly Problem[]>([]);
  const fresh = useFresh();
  const status = useRef<HTMLDivElement>(null);
  const identities = user.identities ?? [];
  useEffect(() => {
    // A provider redirected the browser to this page. The parameter is removed because a reload must not show the
    // message again.
    const query = new URLSearchParams(window.location.search);
    const problem = query.get('problem');
    if (problem !== null) setArrived([problemFor(problem)]);
    const linked = query.get('linked');
    if (linked !== null) setDone(t('identity.linked', { name: providerName(linked) }));
    if (linked !== null) status.current?.focus();
    if (problem !== null || linked !== null) window.history.replaceState(null, '', window.location.pathname);
  }, []);
  const link = useSubmit(async () => undefined);
  const linkable = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id));
  // Without the last provider, the user can still sign in with the confirmed address.
  const keepsAddress =
    offers.password && !user.is_sso_user && user.email !== '' && Boolean(user.email_confirmed_at);
  const hasAddress = identities.some(({ provider }) => provider === 'email');
  const reasonFor = ({ provider }: Identity): string | undefined => {
    if (!linking) return t('identity.kept-by-project');
    if (identities.length > 1) return undefined;
    // The email identity isn't linked to another service, so it has no button and needs no reason.
    if (provider === 'email') return '';
    return keepsAddress ? undefined : t('identity.last');
  };
  if (
    identities.length <= 1 &&
    identities.every((identity) => reasonFor(identity) !== undefined) &&
    !identities.some(walletOf) &&
    (!linking || linkable.length === 0) &&
    done === undefined &&
    arrived.length === 0
  )
    return null;
  return (
    <Card title={t('identity.title')} intro={t('identity.intro')}>
      <ErrorSummary problems={[...arrived, ...link.problems]} />
      <div role="status" tabIndex={-1} ref={status}>
        {done === undefined ? null : <Notice tone="success">{done}</Notice>}
      </div>
      <ul className={classes.list}>
        {identities.map((identity) => {
          const name = ownName(identity);
          const who = walletOf(identity) ?? loginName(identity, user);
          const since = t('identity.since', { when: formatDateTime(identity.created_at) });
          return (
            <Entry
              key={identity.identity_id}
              name={name}
              meta={<Meta parts={[who, since]} />}
              kept={reasonFor(identity)}
              remove={t('identity.unlink')}
              ask={
                keepsAddress && !hasAddress
                  ? t('identity.unlink-ask-address', { name, email: user.email })
                  : t('identity.unlink-ask', { name })
              }
              onRemove={async () => {
                await unlink(identity.identity_id);
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
  return providerName(provider);
}
