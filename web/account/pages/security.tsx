import { Button } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { createQueryClient } from '../../lib/query.ts';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { leaveFor, returnAddress, signOut } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { BackToApp } from '../back-to-app.tsx';
import { backToSecurity, currentFlow, hostOf, useFlow } from '../flow.ts';
import { keepTyped } from '../form/typed-address.ts';
import { useSubmit } from '../form/use-submit.ts';
import { GuestSignOut } from '../guest/sign-out.tsx';
import { usePageConfig } from '../page-config.ts';
import { PageButton, SubtleButton, Waiting } from '../parts.tsx';
import { AccountFacts } from '../plain/account-facts.tsx';
import { ActivitySection } from '../security/activity.tsx';
import { ApiKeysSection } from '../security/api-keys.tsx';
import { AppsSection } from '../security/apps.tsx';
import { Card } from '../security/card.tsx';
import { DataSection } from '../security/data.tsx';
import { EmailSection } from '../security/email.tsx';
import { FactorsSection } from '../security/factors.tsx';
import { IdentityConfirmation } from '../security/fresh.tsx';
import { IdentitiesSection } from '../security/identities.tsx';
import { type AppSessions, appsHere } from '../security/own-sessions.ts';
import { PasskeysSection } from '../security/passkeys.tsx';
import { PasswordSection } from '../security/password.tsx';
import { PhoneSection } from '../security/phone.tsx';
import classes from '../security/security.module.css';
import { SessionsSection } from '../security/sessions.tsx';
import {
  nameOf,
  needsSecondFactor,
  sessionClient,
  type User,
  useSession,
  verifiedFactors,
} from '../session.ts';
import { SessionFailed } from '../session-failed.tsx';
import { Shell } from '../shell.tsx';
import { SignOutChoice } from '../sign-out-choice.tsx';
import { t } from '../text.ts';

const queries = createQueryClient();

/** All settings of the user's own account on one page. */
export function SecurityPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const mustStepUp = state.status === 'signed-in' && needsSecondFactor(state.session);
  const [isDeleted, setDeleted] = useState(false);
  const address = useRef('');
  useEffect(() => {
    if (state.status === 'signed-in') address.current = state.session.user.email;
  }, [state]);
  useEffect(() => {
    // After the account is deleted, the confirmation remains visible even though the user is signed out.
    if (isDeleted) return;
    if (state.status === 'signed-out') {
      // Passes the address to the sign-in page, so the user doesn't need to retype the address.
      if (state.reason === 'ended' && address.current !== '') keepTyped(address.current);
      const signIn = `/sign-in${backToSecurity(currentFlow())}`;
      navigate(state.reason === 'left' ? '/signed-out' : signIn, { replace: true });
    }
    if (mustStepUp) navigate(`/mfa${backToSecurity(currentFlow())}`, { replace: true });
  }, [state, mustStepUp, isDeleted, navigate]);
  const isOutdated =
    state.status === 'signed-in' &&
    state.session.claims.is_anonymous === true &&
    state.session.user.is_anonymous !== true;
  useEffect(() => {
    // The access token still identifies the user as a guest, and the auth service relies on the token.
    if (isOutdated) void sessionClient().refresh();
  }, [isOutdated]);
  if (isDeleted) {
    return (
      <Shell page="page.deleted" intro={t('data.deleted')}>
        <PageButton isSubtle to="sign-in">
          {t('data.deleted-on')}
        </PageButton>
      </Shell>
    );
  }
  return (
    <Shell page="page.security" wide>
      <noscript suppressHydrationWarning>{import.meta.env.SSR ? <AccountFacts /> : null}</noscript>
      {state.status === 'failed' ? <SessionFailed error={state.error} /> : null}
      {state.status === 'loading' ? <Waiting count={3} /> : null}
      {state.status === 'signed-in' && !mustStepUp ? (
        <QueryClientProvider client={queries}>
          <IdentityConfirmation session={state.session}>
            {/*
             * The key is the user. If another tab signs in to a different account, an action that was started for the
             * first account isn't completed for the second one.
             */}
            <Sections
              key={state.session.user.id}
              user={state.session.user}
              onDeleted={() => setDeleted(true)}
            />
          </IdentityConfirmation>
        </QueryClientProvider>
      ) : null}
    </Shell>
  );
}

function Sections({ user, onDeleted }: { user: User; onDeleted: () => void }) {
  const [otherApps, setOtherApps] = useState<readonly AppSessions[]>([]);
  const leave = useSubmit(async () => {
    // If the list of apps can't be loaded, the user can still sign out of the account.
    const others = await appsHere().catch(() => undefined);
    if (others === undefined || others.length === 0) await signOut('local', others && []);
    else setOtherApps(others);
    return undefined;
  });
  const isGuest = user.is_anonymous === true;
  // If an organization manages an account, the server rejects changes to the account's sign-in methods.
  const isManaged = user.identities?.length === 1 && user.identities[0]?.provider.startsWith('sso:') === true;
  const { apiKeys, apps, passkeys, organizations } = usePageConfig();
  return (
    <>
      <div className={classes.top}>
        <p>
          <WithAddresses text={isGuest ? t('security.guest') : t('security.as', { who: nameOf(user) })} />
        </p>
        <span className={classes.actions}>
          <Button component="a" variant="default" href="/account/accounts">
            {t('security.accounts')}
          </Button>
          {isGuest || organizations === undefined ? null : (
            <Button component="a" variant="default" href="/account/organizations">
              {t('security.organizations')}
            </Button>
          )}
          {isGuest || otherApps.length > 0 ? null : (
            <Button variant="default" loading={leave.busy} onClick={() => leave.run(undefined)}>
              {t('security.sign-out')}
            </Button>
          )}
        </span>
      </div>
      <BackToApp />
      {otherApps.length === 0 ? null : (
        <Card title={t('sign-out.title')}>
          <SignOutChoice apps={otherApps} onStay={() => setOtherApps([])} />
        </Card>
      )}
      {isGuest ? null : <ErrorSummary problems={leave.problems} />}
      {isGuest ? (
        <>
          <Notice tone="info">
            <p>{t('security.guest-intro')}</p>
          </Notice>
          <GuestSignOut leave={leave}>
            {(ask) => (
              <>
                <PageButton to="upgrade">{t('security.guest-keep')}</PageButton>
                <SubtleButton data-autofocus onClick={ask}>
                  {t('security.sign-out')}
                </SubtleButton>
              </>
            )}
          </GuestSignOut>
        </>
      ) : null}
      <NextStep user={user} />
      {isManaged ? <Notice tone="info">{t('security.managed')}</Notice> : null}
      {isManaged ? null : (
        <>
          <EmailSection user={user} />
          <PhoneSection user={user} />
          {isGuest ? null : <PasswordSection user={user} />}
        </>
      )}
      {isGuest || (isManaged && verifiedFactors(user).length === 0) ? null : <FactorsSection user={user} />}
      {isGuest || isManaged || !passkeys ? null : <PasskeysSection user={user} />}
      {isGuest || isManaged ? null : <IdentitiesSection user={user} />}
      <SessionsSection user={user} />
      {apps ? <AppsSection user={user} /> : null}
      {apiKeys ? <ApiKeysSection user={user} /> : null}
      <ActivitySection user={user} isManaged={isManaged} />
      <DataSection user={user} onDeleted={onDeleted} />
    </>
  );
}

/** Offers to continue to the app if the app redirected the user here to set up a second factor. */
function NextStep({ user }: { user: User }) {
  const { redirectTo } = useFlow();
  const host = hostOf(redirectTo);
  const submit = useSubmit(async () => leaveFor(await returnAddress()));
  if (host === undefined || verifiedFactors(user).length === 0) return null;
  return (
    <>
      <ErrorSummary problems={submit.problems} />
      <Button size="md" fullWidth loading={submit.busy} onClick={() => submit.run(undefined)}>
        {t('sign-in.continue-to', { host })}
      </Button>
    </>
  );
}
