/** The last pages of a flow: signed out, and page not found. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { formatList } from '../../lib/i18n.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { t as ui } from '../../ui/text.ts';
import { lastSignOut, otherAccounts } from '../account-api.ts';
import { usePageConfig } from '../page-config.ts';
import { Aside, LinkButton, PageButton } from '../parts.tsx';
import { useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { useSignedOutFrames } from '../signed-out-frames.ts';
import { t } from '../text.ts';
import { later } from './later.ts';

const SignedOutMore = lazy(async () => ({ default: (await later()).SignedOutMore }));

/** Shown after the user has signed out here, in another tab, or only in the app that redirected the user here. */
export function SignedOutPage() {
  const state = useSession();
  const isStillIn = state.status === 'signed-in';
  const hasFrames = useSignedOutFrames();
  const isOut = state.status === 'signed-out';
  const isEnded = state.status === 'signed-out' && state.reason === 'ended';
  // The page says that the browser is signed out only after it knows that no other account is signed in.
  const [others, setOthers] = useState<readonly string[]>();
  useEffect(() => {
    if (isOut) otherAccounts().then(setOthers, () => setOthers([]));
  }, [isOut]);
  const hasOthers = isOut && others !== undefined && others.length > 0;
  // The app's address, once the server has said that the project allows it.
  const [appAddress, setAppAddress] = useState<string>();
  return (
    <Shell
      page={isStillIn ? 'page.still-in' : hasOthers ? 'page.others-in' : 'page.signed-out'}
      intro={isStillIn ? undefined : introOf(isEnded, hasFrames, others)}
    >
      {isStillIn || isOut ? (
        <Suspense>
          <SignedOutMore
            hasOthers={hasOthers}
            hasGuest={others?.includes('') === true}
            onAppAddress={setAppAddress}
          />
        </Suspense>
      ) : null}
      {isStillIn || hasOthers ? null : <SignInAgain appAddress={appAddress} />}
    </Shell>
  );
}

/**
 * Leads to the app, because only the app can start its next sign-in: the app's previous challenge is used up. Without an
 * app, leads to the account's own sign-in page.
 */
function SignInAgain({ appAddress }: { appAddress: string | undefined }) {
  const { signInUrl } = usePageConfig().brand;
  if (appAddress === undefined) {
    return (
      <PageButton isSubtle to="sign-in">
        {t('signed-out.again')}
      </PageButton>
    );
  }
  const isOwn = signInUrl !== undefined && originOf(signInUrl) === originOf(appAddress);
  return (
    <LinkButton isSubtle href={isOwn ? signInUrl : appAddress}>
      {t('signed-out.again')}
    </LinkButton>
  );
}

const originOf = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).origin : undefined;

/** Names the accounts and the apps that stay signed in. After a reload, the page doesn't know the apps. */
function introOf(isEnded: boolean, hasFrames: boolean, others: readonly string[] | undefined): string {
  if (others !== undefined && others.length > 0) {
    const named = others.filter((name) => name !== '');
    return named.length === 0
      ? t('signed-out.guest-in')
      : t('signed-out.others', { accounts: formatList(named) });
  }
  if (hasFrames && others !== undefined) return t('signed-out.all');
  if (isEnded) return t('sign-in.ended');
  // Until the other accounts are known, the page doesn't say that the window can be closed.
  const known = others === undefined ? undefined : lastSignOut();
  if (known === undefined) return t('signed-out.text');
  if (known.scope === 'browser') return t('signed-out.all');
  if (known.apps.length === 0) return t('signed-out.alone');
  return t('signed-out.apps', { apps: formatList(known.apps) });
}

export function ErrorPage() {
  const { requestId } = usePageConfig();
  return (
    <Shell page="page.error" intro={t('error.text')}>
      <PageButton to="security">{t('error.home')}</PageButton>
      <div>
        <Aside>{ui('ui.request-id')}</Aside>
        <Aside>
          <Copyable value={requestId} what={ui('ui.request-id')} />
        </Aside>
      </div>
    </Shell>
  );
}
