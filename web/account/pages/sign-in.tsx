import { IconBuilding, IconUser, IconWallet } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../lib/api.ts';
import { loaded } from '../../lib/loaded.ts';
import type { Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Address, continueAsGuest, identify, leaveFor, type NextStep } from '../account-api.ts';
import { carryProblem } from '../carried-problem.ts';
import { endedText } from '../ended-text.ts';
import { useFlow } from '../flow.ts';
import { addressIn, domainIn } from '../form/fields.ts';
import { startCode } from '../form/pending.ts';
import { keepTyped } from '../form/typed-address.ts';
import { useSubmit } from '../form/use-submit.ts';
import { useIntroduction } from '../introduction.ts';
import { useLeaving } from '../leaving.ts';
import { supportsKeys } from '../methods/key-support.ts';
import { LastUsed } from '../methods/last-used.tsx';
import { mark } from '../methods/mark.tsx';
import { OtherWays } from '../methods/others.tsx';
import { PasskeyButton } from '../methods/passkey-button.tsx';
import { SocialLinks } from '../methods/social.tsx';
import { goOn } from '../next.ts';
import { pageConfig, usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { Aside, Divider, EmailField, Form, PageButton, PageLink, Submit, SubtleButton } from '../parts.tsx';
import { signIn } from '../password-sign-in.ts';
import { needsSecondFactor, sessionClient, useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { inWords } from '../texts.ts';
import { AlreadySignedIn } from './already-signed-in.tsx';
import { later } from './later.ts';
import { unknownAddress } from './sign-up.tsx';

const emailId = 'email';

const GuestAside = lazy(async () => ({ default: (await later()).GuestAside }));
const WalletChoice = lazy(async () => ({ default: (await later()).WalletChoice }));

export function SignInPage() {
  const state = useSession();
  const { brand } = usePageConfig();
  const intro = useIntroduction(brand.welcome);
  // True while this form signs the user in. The page then doesn't show "already signed in" before it redirects.
  const [leaving, setLeaving] = useState(false);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const { again, adds, search } = useFlow();
  const [, navigate] = useLocation();
  useEffect(() => {
    const query = new URLSearchParams(window.location.search);
    const code = query.get('problem');
    // The error code is set if a provider redirected the browser here.
    if (code !== null) void inWords(({ problemFor }) => problemFor(code)).then((one) => setProblems([one]));
  }, []);
  const isHalfway = state.status === 'signed-in' && needsSecondFactor(state.session);
  useEffect(() => {
    // The user left before completing the second step. The sign-in isn't complete without that step, so the flow
    // continues there.
    if (isHalfway && !leaving && !again && !adds && !window.location.search.includes('problem=')) {
      navigate(`/mfa${search}`, { replace: true });
    }
  }, [isHalfway, leaving, again, adds, navigate, search]);
  if (state.status === 'signed-in' && !leaving && !again && !adds) {
    return (
      <Shell page="page.welcome-back">
        <AlreadySignedIn user={state.session.user} problems={problems} />
      </Shell>
    );
  }
  return (
    <Shell page="page.sign-in" intro={intro}>
      <SignInForm
        ended={adds ? undefined : endedText(state)}
        again={again}
        problems={problems}
        onLeave={setLeaving}
        onProblems={setProblems}
      />
    </Shell>
  );
}

function SignInForm(props: {
  /** Why this browser was signed out. */
  ended: string | undefined;
  /** Whether the signed-in user must sign in again before a sensitive change. */
  again: boolean;
  /** Errors that the previous page passed to this page. */
  problems: readonly Problem[];
  onLeave: (leaving: boolean) => void;
  onProblems: (problems: readonly Problem[]) => void;
}) {
  const { ended, again, onLeave, onProblems } = props;
  const [, navigate] = useLocation();
  const { search, next } = useFlow();
  const { offers, last } = usePageConfig();
  const [choosesWallet, setChoosesWallet] = useState(false);
  const takesAddress = offers.password || offers.phone || offers.sso;
  const leaving = useLeaving(onLeave, onProblems);
  const submit = useSubmit(
    async (field) => {
      const typed = field('email').trim();
      const address = addressIn(typed, offers.phone);
      if (address === undefined) return [{ text: wrongAddress(typed, offers.phone), fieldId: emailId }];
      keepTyped(typed);
      const next = await identify(typed);
      return follow(next, address, field('password'));
    },
    { sso_provider_not_found: emailId, sso_required: emailId },
  );

  /** Continues with the step that the server selected. */
  async function follow(next: NextStep, to: Address, password: string): Promise<undefined> {
    if (next.step === 'none') {
      throw new ApiError({ message: '', status: 404, code: 'sso_provider_not_found' });
    } else if (next.step === 'code' || 'phone' in to) {
      await startCode(to, 'sign-in');
      navigate(`/code${search}`);
    } else if (next.step === 'sso' && next.isEnforced) {
      const { findOrganization } = await loaded(import('../methods/api.ts'));
      await leaveFor(await findOrganization(domainIn(to.email), search.slice(1)));
    } else if (next.step === 'sso') {
      navigate(`/sso${search}`);
    } else if (next.step === 'sign-up') {
      navigate(`/sign-up${search}`, { state: unknownAddress });
    } else if (password === '') {
      navigate(`/password${search}`);
    } else {
      // A password manager has filled in both fields.
      await leaving(async () => goOn(await signIn(to.email, password), navigate)).catch((error: unknown) => {
        if (sessionClient().state().status === 'signed-in') throw error;
        carryProblem(error);
        navigate(`/password${search}`);
      });
    }
    return undefined;
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once, when the page mounts
  useEffect(() => {
    const { passkey } = pageConfig.offers;
    // Passkeys in the field would require a captcha, but opening the page must not trigger a captcha.
    if (!passkey || !supportsKeys() || pageConfig.captcha !== undefined) return;
    void PublicKeyCredential.isConditionalMediationAvailable?.().then(async (isAvailable) => {
      if (!isAvailable) return;
      try {
        const { signInWithPasskey } = await import('../methods/api.ts');
        const state = await signInWithPasskey(true);
        await submit.run(undefined, () => leaving(() => goOn(state, navigate)));
      } catch {
        // If the user doesn't choose a passkey, the form remains available.
      }
    });
  }, []);

  const nothing = !Object.entries(offers).some(([name, isOffered]) => isOffered && name !== 'signUp');
  return (
    <>
      {ended === undefined ? null : <Notice tone="info">{ended}</Notice>}
      {again ? <Notice tone="info">{t('sign-in.again')}</Notice> : null}
      {next === 'upgrade' ? (
        <Suspense>
          <GuestAside />
        </Suspense>
      ) : null}
      {nothing ? <Notice tone="warning">{t('sign-in.none')}</Notice> : null}
      <Form
        onSubmit={submit.onSubmit}
        problems={submit.problems.length > 0 ? submit.problems : props.problems}
      >
        {takesAddress ? (
          <div data-part="address">
            <EmailField
              id={emailId}
              label={<AddressLabel />}
              error={submit.errorAt(emailId)}
              withKeys={offers.passkey}
              takesPhone={offers.phone}
              keepsTyped
              isFirst
            />
            <UnseenPassword />
            <Submit busy={submit.busy}>{t('sign-in.next')}</Submit>
          </div>
        ) : null}
        {takesAddress ? (
          <div data-part="or">
            <Divider>{t('sign-in.or')}</Divider>
          </div>
        ) : null}
        {offers.passkey ? (
          <div data-part="passkey">
            <PasskeyButton
              busy={submit.busy}
              onSignIn={(work) =>
                submit.run(undefined, () => leaving(async () => goOn(await work(), navigate)))
              }
            />
          </div>
        ) : null}
        {offers.social ? <SocialLinks list="first" /> : null}
        <OtherWays>
          {offers.social ? <SocialLinks list="more" /> : null}
          {offers.wallet ? (
            <div data-part="wallet">
              {choosesWallet ? (
                <Suspense>
                  <WalletChoice
                    busy={submit.busy}
                    onSignIn={(work) =>
                      submit.run(undefined, () => leaving(async () => goOn(await work(), navigate)))
                    }
                  />
                </Suspense>
              ) : (
                <SubtleButton
                  leftSection={<IconWallet {...mark} />}
                  disabled={submit.busy}
                  onClick={() => setChoosesWallet(true)}
                >
                  {t('sign-in.wallet')}
                  {last === 'wallet' ? <LastUsed /> : null}
                </SubtleButton>
              )}
            </div>
          ) : null}
          {offers.guest && next !== 'upgrade' && !again ? (
            <div data-part="guest">
              <SubtleButton
                {...posts('guest')}
                leftSection={<IconUser {...mark} />}
                disabled={submit.busy}
                onClick={(event) => {
                  event.preventDefault();
                  void submit.run(undefined, () =>
                    leaving(async () => goOn(await continueAsGuest(), navigate)),
                  );
                }}
              >
                {t('sign-in.guest')}
              </SubtleButton>
            </div>
          ) : null}
          {offers.sso ? (
            <span data-part="sso">
              <PageButton isSubtle to="sso" icon={<IconBuilding {...mark} />}>
                {t('sign-in.sso')}
              </PageButton>
            </span>
          ) : null}
        </OtherWays>
      </Form>
      {again ? <PageLink to="security">{t('error.home')}</PageLink> : null}
      {offers.signUp && !again ? (
        <div data-part="signUp">
          <Aside>
            {t('sign-in.new')} <PageLink to="sign-up">{t('sign-in.create')}</PageLink>
          </Aside>
        </div>
      ) : null}
    </>
  );
}

/** The attributes of a form's second button. Without scripts, the button sends its action as a form field. */
const posts = (value: string) => ({ type: 'submit', name: 'do', value }) as const;

/**
 * The label of the address field. Before hydration, the page contains all labels, and a style sheet shows one of them.
 */
function AddressLabel() {
  const { offers, isPrerendered } = usePageConfig();
  if (isPrerendered) {
    return (
      <>
        <span data-when="email">{t('field.email')}</span>
        <span data-when="phone">{t('field.phone')}</span>
        <span data-when="both">{t('field.email-or-phone')}</span>
      </>
    );
  }
  return t(offers.phone ? (offers.password ? 'field.email-or-phone' : 'field.phone') : 'field.email');
}

/** A hidden password field, which lets a password manager fill in both fields of the sign-in together. */
function UnseenPassword() {
  return (
    <input
      className={classes.unseen}
      type="password"
      name="password"
      autoComplete="current-password"
      tabIndex={-1}
      aria-hidden
    />
  );
}

function wrongAddress(typed: string, takesPhone: boolean): string {
  if (typed === '') return t(takesPhone ? 'field.email-or-phone-missing' : 'field.email-missing');
  return t(takesPhone ? 'field.email-or-phone-wrong' : 'field.email-wrong');
}
