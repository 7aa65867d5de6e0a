import { useEffect, useRef, useState } from 'react';
import { formatList } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { forgetLeft, isAppAddress, lastSignOut, leaveFor, signOut, signOutAll } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { hostOf, useFlow } from '../flow.ts';
import { Form } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { GuestSignOut } from '../guest/sign-out.tsx';
import { AccountsLink, LinkButton, PageButton, PageLink, Submit, SubtleButton, Waiting } from '../parts.tsx';
import { type AppSessions, appsHere } from '../security/own-sessions.ts';
import { nameOf, useSession } from '../session.ts';
import { SignOutChoice } from '../sign-out-choice.tsx';
import { framesLoaded, useSignedOutFrames } from '../signed-out-frames.ts';
import { t } from '../text.ts';

/**
 * If the user is still signed in, offers to sign out of the Account pages too. Also offers a link back to the app if
 * the project's redirect rules allow its address.
 */
export function SignedOutMore(props: {
  /** The names of the other accounts with a session in this browser. A guest's name is empty. */
  others: readonly string[];
  /** The names of the accounts that were just signed out and that this browser still lists. */
  left: readonly string[];
  onAppAddress: (address: string | undefined) => void;
}) {
  const { others, left, onAppAddress } = props;
  const state = useSession();
  const hasOthers = others.length > 0;
  const named = others.filter((name) => name !== '');
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
    // The address that an OAuth client has registered for sign-out isn't necessarily a page where users can sign in.
    onAppAddress(isKnown && clientId === undefined && host !== undefined ? target : undefined);
  }, [isKnown, clientId, host, target, onAppAddress]);
  const wasIn = useRef(isStillIn);
  useEffect(() => {
    // If the user has just signed out on this page, the browser is redirected to the client. Otherwise, the page only
    // shows a link, because any website can open this page.
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
          <p>
            <WithAddresses
              text={isGuest ? t('still-in.guest') : t('still-in.text', { who: nameOf(state.session.user) })}
            />
          </p>
          {named.length > 0 ? (
            <p>
              <WithAddresses text={t('still-in.others', { accounts: formatList(named) })} />
            </p>
          ) : null}
          {apps === undefined ? <Waiting /> : null}
          {isGuest && apps !== undefined && apps.length > 0 ? <SaveAccount /> : null}
          {apps?.length === 0 && isGuest ? (
            <GuestSignOut leave={submit}>
              {(ask) => (
                <>
                  <SaveAccount />
                  <SubtleButton data-autofocus onClick={ask}>
                    {t('still-in.submit')}
                  </SubtleButton>
                </>
              )}
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
      {isStillIn || hasOthers ? null : <Forget left={left} />}
      {hasOthers ? <OthersSignOut hasGuest={isGuest || others.includes('')} isSubtle={isStillIn} /> : null}
      {isKnown && host !== undefined && target !== undefined ? (
        <LinkButton isSubtle={isStillIn || hasOthers} href={target}>
          {t('still-in.back', { host })}
        </LinkButton>
      ) : null}
      {isStillIn ? <PageLink to="security">{t('error.home')}</PageLink> : null}
    </>
  );
}

const SaveAccount = () => <PageButton to="upgrade">{t('page.upgrade')}</PageButton>;

/** On a shared computer, the next user shouldn't see the account in the list. */
function Forget({ left }: { left: readonly string[] }) {
  const [isForgotten, setForgotten] = useState(false);
  const status = useRef<HTMLDivElement>(null);
  const submit = useSubmit(async () => {
    await forgetLeft();
    setForgotten(true);
    status.current?.focus();
    return undefined;
  });
  return (
    <>
      <div role="status" ref={status} tabIndex={-1}>
        {isForgotten ? <Notice tone="success">{t('signed-out.forgotten')}</Notice> : null}
      </div>
      {left.length === 0 || isForgotten ? null : (
        <Form onSubmit={submit.onSubmit} problems={submit.problems}>
          <p>
            <WithAddresses text={t('signed-out.kept', { accounts: formatList(left) })} />
          </p>
          <SubtleButton type="submit" loading={submit.busy}>
            {t('signed-out.forget')}
          </SubtleButton>
        </Form>
      )}
    </>
  );
}

/** Offers to sign out of the other accounts. Otherwise, these accounts could stay signed in on a shared computer. */
function OthersSignOut({ hasGuest, isSubtle }: { hasGuest: boolean; isSubtle: boolean }) {
  const submit = useSubmit(async () => {
    await signOutAll();
    window.location.reload();
    return undefined;
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      {/* The account list asks for confirmation before it signs a guest out. */}
      {hasGuest ? null : isSubtle ? (
        <SubtleButton type="submit" loading={submit.busy}>
          {t('signed-out.all-accounts')}
        </SubtleButton>
      ) : (
        <Submit busy={submit.busy}>{t('signed-out.all-accounts')}</Submit>
      )}
      <AccountsLink>{t('signed-out.choose')}</AccountsLink>
    </Form>
  );
}

/** The parameters of the end session endpoint (`src/services/auth/oauth-server/logout.ts`). */
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
