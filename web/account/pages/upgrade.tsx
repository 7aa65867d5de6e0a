import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { BackToApp } from '../back-to-app.tsx';
import { useFlow } from '../flow.ts';
import { isGuestSetAside } from '../guest/api.ts';
import { TransferGuest } from '../guest/bring-along.tsx';
import { Done } from '../guest/done.tsx';
import { Elsewhere } from '../guest/elsewhere.tsx';
import { KeepAccount } from '../guest/keep-account.tsx';
import { PendingAddress } from '../guest/pending-address.tsx';
import { towardsUpgrade } from '../guest/search.ts';
import { PageLink, Waiting } from '../parts.tsx';
import { providerName } from '../provider-name.ts';
import { nameOf, needsSecondFactor, sessionClient, type User, useSession } from '../session.ts';
import { SessionFailed } from '../session-failed.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

/** Lets a guest save the account, either by adding a sign-in method or by moving all data to an existing account. */
export function UpgradePage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { search } = useFlow();
  /**
   * The account that was saved on this page. If a different user signs in from another tab, the session no longer
   * belongs to this account.
   */
  const [guestId, setGuestId] = useState<string>();
  const [isLeaving, setLeaving] = useState(false);
  const isSignedIn = state.status === 'signed-in';
  const mustStepUp = isSignedIn && needsSecondFactor(state.session);
  const user = isSignedIn ? state.session.user : undefined;
  const isGuest = user?.is_anonymous === true;
  // The access token was issued before the guest became a permanent user.
  const isOutdated = isSignedIn && !isGuest && state.session.claims.is_anonymous === true;
  useEffect(() => {
    if (state.status === 'signed-out' && !isLeaving) {
      navigate(`/sign-in${towardsUpgrade(search)}`, { replace: true });
    }
    if (mustStepUp) navigate(`/mfa${towardsUpgrade(search)}`, { replace: true });
  }, [state.status, isLeaving, mustStepUp, navigate, search]);
  useEffect(() => {
    if (isGuest || new URLSearchParams(window.location.search).has('linked'))
      setGuestId((known) => (isGuest ? user?.id : (known ?? user?.id)));
  }, [isGuest, user?.id]);
  useEffect(() => {
    if (isOutdated) void sessionClient().refresh();
  }, [isOutdated]);

  if (state.status === 'failed') {
    return (
      <Shell page="page.upgrade">
        <SessionFailed error={state.error} />
      </Shell>
    );
  }
  if (user === undefined || mustStepUp) return <Loading />;
  if (isGuest) return <Guest user={user} onLeave={setLeaving} />;
  if (guestId === user.id) {
    const identity = user.identities?.find(({ provider }) => provider !== 'email');
    const way = identity === undefined ? user.email : providerName(identity.provider);
    const text = way === '' ? t('upgrade.done-linked') : t('upgrade.done', { who: way });
    return <Done page="page.upgrade-done" text={text} />;
  }
  return <Member user={user} />;
}

const Loading = () => (
  <Shell page="page.upgrade">
    <Waiting />
  </Shell>
);

function Guest({ user, onLeave }: { user: User; onLeave: (isLeaving: boolean) => void }) {
  const [isChanging, setChanging] = useState(false);
  const pending = user.new_email ?? '';
  return (
    <Shell page="page.upgrade" intro={pending === '' || isChanging ? t('upgrade.intro') : undefined}>
      {pending === '' || isChanging ? (
        <KeepAccount onSaved={() => setChanging(false)} />
      ) : (
        <PendingAddress email={pending} onChange={() => setChanging(true)} />
      )}
      <Elsewhere onLeave={onLeave} />
      <BackToApp />
      <PageLink to="security">{t('error.home')}</PageLink>
    </Shell>
  );
}

/** Shown to users who aren't guests. If a guest session was set aside in this browser, offers to move its data. */
function Member({ user }: { user: User }) {
  const [isWaiting, setWaiting] = useState<boolean>();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    isGuestSetAside().then(setWaiting, () => setWaiting(false));
  }, []);
  const who = nameOf(user) || t('security.guest');
  if (isDone) return <Done page="page.hand-over-done" text={t('hand-over.done', { who })} />;
  if (isWaiting === undefined) return <Loading />;
  if (isWaiting)
    return <TransferGuest who={who} onDone={() => setDone(true)} onNone={() => setWaiting(false)} />;
  return <Done page="page.upgrade-member" text={t('upgrade.member', { who })} />;
}
