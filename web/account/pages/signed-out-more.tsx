import { useEffect, useRef, useState } from 'react';
import { isAppAddress, lastSignOut, leaveFor, signOut, signOutAll } from '../account-api.ts';
import { hostOf, useFlow } from '../flow.ts';
import { Form } from '../form.tsx';
import { GuestSignOut } from '../guest/sign-out.tsx';
import { AccountsLink, LinkButton, PageButton, PageLink, Submit, SubtleButton, Waiting } from '../parts.tsx';
import { type AppSessions, appsHere } from '../security/own-sessions.ts';
import { nameOf, useSession } from '../session.ts';
import { SignOutChoice } from '../sign-out-choice.tsx';
import { framesLoaded, useSignedOutFrames } from '../signed-out-frames.ts';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';

/**
 * Offers to sign out of the Account pages too if the user is still signed in. Also offers a link back to the app, but
 * only to addresses that the project's redirect rules allow.
 */
export function SignedOutMore(props: {
  /** Whether other accounts are signed in in this browser. */
  hasOthers: boolean;
  /** Whether one of these accounts is a guest's. */
  hasGuest: boolean;
  onAppAddress: (address: string | undefined) => void;
}) {
  const { hasOthers, onAppAddress } = props;
  const state = useSession();
  const { redirectTo } = useFlow();
  const { clientId, state: clientState } = endSessionRequest();
  const [isKnown, setKnown] = useState(false);
  useEffect(() => {
    // If the request fails, the link back is omitted.
    if (redirectTo !== undefined) isAppAddress(redirectTo, clientId).then(setKnown, () => setKnown(false));
  }, [redirectTo, clientId]);
  const submit = useSubmit(async () => {
    await signOut('local', []);
    return undefined;
  });
  const host = hostOf(redirectTo);
  const target = redirectTo && withState(redirectTo, clientState);
  const isStillIn = state.status === 'signed-in';
  useEffect(() => {
    // After signing out, an OAuth client's registered address isn't necessarily a page where users can sign in.
    onAppAddress(isKnown && clientId === undefined && host !== undefined ? target : undefined);
  }, [isKnown, clientId, host, target, onAppAddress]);
  const wasIn = useRef(isStillIn);
  useEffect(() => {
    // The user has just signed out here, so the client gets the browser back. Without that click, the page only shows a
    // link, because any website can open it.
    const isOut = state.status === 'signed-out' && state.reason === 'left';
    const hasLeft = wasIn.current && isOut && lastSignOut()?.isReloading !== true;
    if (hasLeft && isKnown && clientId !== undefined && target) void leaveFor(target);
    wasIn.current = isStillIn;
  }, [state, isStillIn, isKnown, clientId, target]);
  const hasFrames = useSignedOutFrames();
  useEffect(() => {
    // The server inserts the frames only after the user's click.
    if (hasFrames && isKnown && clientId !== undefined && target) {
      void framesLoaded().then(() => leaveFor(target));
    }
  }, [hasFrames, isKnown, clientId, target]);
  const [apps, setApps] = useState<readonly AppSessions[]>();
  useEffect(() => {
    // If the request fails, the page still offers to sign out of the account.
    if (isStillIn) appsHere().then(setApps, () => setApps([]));
  }, [isStillIn]);
  const isGuest = isStillIn && nameOf(state.session.user) === '';
  return (
    <>
      {isStillIn ? (
        <>
          <p>{isGuest ? t('still-in.guest') : t('still-in.text', { who: nameOf(state.session.user) })}</p>
          {apps === undefined ? <Waiting /> : null}
          {isGuest ? <PageButton to="upgrade">{t('page.upgrade')}</PageButton> : null}
          {apps?.length === 0 && isGuest ? (
            <GuestSignOut leave={submit}>
              {(ask) => <SubtleButton onClick={ask}>{t('still-in.submit')}</SubtleButton>}
            </GuestSignOut>
          ) : null}
          {apps?.length === 0 && !isGuest ? (
            <Form onSubmit={submit.onSubmit} problems={submit.problems}>
              <Submit busy={submit.busy}>{t('still-in.submit')}</Submit>
            </Form>
          ) : null}
          {apps !== undefined && apps.length > 0 ? <SignOutChoice apps={apps} /> : null}
        </>
      ) : null}
      {hasOthers ? <OthersSignOut hasGuest={props.hasGuest} /> : null}
      {isKnown && host !== undefined && target !== undefined ? (
        <LinkButton isSubtle={isStillIn || hasOthers} href={target}>
          {t('still-in.back', { host })}
        </LinkButton>
      ) : null}
      {isStillIn ? <PageLink to="security">{t('error.home')}</PageLink> : null}
    </>
  );
}

/** Offers to sign out of the other accounts, so that no account stays signed in on a shared computer. */
function OthersSignOut({ hasGuest }: { hasGuest: boolean }) {
  const submit = useSubmit(async () => {
    await signOutAll();
    window.location.reload();
    return undefined;
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      {/* The list asks before it signs a guest out. */}
      {hasGuest ? null : <Submit busy={submit.busy}>{t('signed-out.all-accounts')}</Submit>}
      <AccountsLink>{t('signed-out.choose')}</AccountsLink>
    </Form>
  );
}

/** The parameters of the end session endpoint (`src/auth/flows/oauth-logout.ts`). */
function endSessionRequest(): { clientId: string | undefined; state: string | undefined } {
  const query = new URLSearchParams(window.location.search);
  const clientId = query.get('client_id') ?? undefined;
  return { clientId, state: clientId === undefined ? undefined : (query.get('state') ?? undefined) };
}

function withState(address: string, state: string | undefined): string {
  if (state === undefined || !URL.canParse(address)) return address;
  const url = new URL(address);
  url.searchParams.set('state', state);
  return url.href;
}
