/** The last pages of a flow: "signed out" and "page not found". */
import { lazy, Suspense, useEffect, useState } from 'react';
import { formatList } from '../../lib/i18n.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { t as ui } from '../../ui/text.ts';
import { lastSignOut, type OtherAccounts, otherAccounts } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { endedText } from '../ended-text.ts';
import { useFlow } from '../flow.ts';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { Aside, LinkButton, PageButton, SubtleButton } from '../parts.tsx';
import { useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { useSignedOutFrames } from '../signed-out-frames.ts';
import { t } from '../text.ts';
import { loadRest } from '../texts.ts';

const SignedOutMore = lazy(async () => ({
  default: (await Promise.all([import('./signed-out-more.tsx'), loadRest()]))[0].SignedOutMore,
}));

/**
 * Shown after the user has signed out on these pages, in another tab, or only in the app that redirected the user here.
 */
export function SignedOutPage() {
  const state = useSession();
  const isStillIn = state.status === 'signed-in';
  const hasFrames = useSignedOutFrames();
  const isOut = state.status === 'signed-out';
  const ended = endedText(state);
  // Until it is known that no other account is signed in, the page doesn't show that the browser is signed out.
  const [accounts, setAccounts] = useState<OtherAccounts>();
  const others = accounts?.names;
  useEffect(() => {
    if (isOut || isStillIn) otherAccounts().then(setAccounts, () => setAccounts({ names: [], left: [] }));
  }, [isOut, isStillIn]);
  const hasOthers = isOut && others !== undefined && others.length > 0;
  // The app's address, once the server has confirmed that the project allows this address.
  const [appAddress, setAppAddress] = useState<string>();
  const { redirectTo } = useFlow();
  const left = accounts?.left ?? [];
  // In all other cases, the page has nothing more to show, so the code isn't loaded.
  const needsMore = isStillIn || (isOut && (redirectTo !== undefined || hasOthers || left.length > 0));
  return (
    <Shell
      page={isStillIn ? 'page.still-in' : hasOthers ? 'page.others-in' : 'page.signed-out'}
      // The text changes once the other accounts are known. Screen readers may have read the heading by then, so the
      // text is a live region.
      intro={isStillIn ? undefined : <SpokenIntro text={introOf(ended, hasFrames, others)} />}
    >
      <noscript suppressHydrationWarning>{import.meta.env.SSR ? <ForgetForm /> : null}</noscript>
      {needsMore ? (
        <Suspense>
          <SignedOutMore others={others ?? []} left={left} onAppAddress={setAppAddress} />
        </Suspense>
      ) : null}
      {isStillIn || hasOthers ? null : <SignInAgain appAddress={appAddress} />}
    </Shell>
  );
}

const SpokenIntro = ({ text }: { text: string }) => (
  <span role="status">
    <WithAddresses text={text} />
  </span>
);

/**
 * Without scripts, offers to forget the accounts that were signed out. The server removes the form if there aren't any
 * such accounts.
 */
const ForgetForm = () => (
  <form method="post" action="/account/forget" className={classes.stack} data-left="">
    {'%PLINTH_FIELDS%'}
    <p>
      <WithAddresses text={t('signed-out.kept', { accounts: '%PLINTH_LEFT%' })} />
    </p>
    <SubtleButton type="submit">{t('signed-out.forget')}</SubtleButton>
  </form>
);

/**
 * Links to the app, because the app's previous challenge is used up and only the app can start the next sign-in.
 * Without an app, links to the account's own sign-in page.
 */
function SignInAgain({ appAddress }: { appAddress: string | undefined }) {
  const { signInUrl } = usePageConfig().brand;
  if (appAddress === undefined) {
    // An ordinary link, because the server responds with the list of accounts if this browser has accounts.
    return (
      <LinkButton isSubtle href="/account/sign-in">
        {t('signed-out.again')}
      </LinkButton>
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

/** Names the accounts and the apps in which the user stays signed in. After a reload, the apps are unknown. */
function introOf(
  ended: string | undefined,
  hasFrames: boolean,
  others: readonly string[] | undefined,
): string {
  if (others !== undefined && others.length > 0) {
    const named = others.filter((name) => name !== '');
    return named.length === 0
      ? t('signed-out.guest-in')
      : t('signed-out.others', { accounts: formatList(named) });
  }
  if (hasFrames && others !== undefined) return t('signed-out.all');
  if (ended !== undefined) return ended;
  // Until the other accounts are known, the text doesn't suggest closing the window.
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
