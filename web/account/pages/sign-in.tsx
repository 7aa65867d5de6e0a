import { IconFingerprint, IconMail, IconUser, IconWallet } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { loaded } from '../../lib/loaded.ts';
import type { Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { continueAsGuest, sendCode, signIn, signOut } from '../account-api.ts';
import { looksLikeEmail } from '../fields.ts';
import { useDestination, useFlow } from '../flow.ts';
import { useIntroduction } from '../introduction.ts';
import { supportsKeys } from '../methods/key-support.ts';
import { mark } from '../methods/mark.tsx';
import { SocialLinks } from '../methods/social.tsx';
import { goOn } from '../next.ts';
import { pageConfig, usePageConfig } from '../page-config.ts';
import { Aside, Divider, EmailField, Form, PageLink, Row, Submit, SubtleButton } from '../parts.tsx';
import { rememberCode, wasJustSent } from '../pending.ts';
import { nameOf, sessionClient, type User, useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { inWords } from '../texts.ts';
import { type Handler, useSubmit } from '../use-submit.ts';
import { later } from './later.ts';

const emailId = 'email';
const passwordId = 'password';

const GuestAside = lazy(async () => ({ default: (await later()).GuestAside }));
const WalletChoice = lazy(async () => ({ default: (await later()).WalletChoice }));

export function SignInPage() {
  const state = useSession();
  const host = useDestination();
  const { brand } = usePageConfig();
  const intro = useIntroduction(brand.welcome);
  // True while this form signs the user in, so that the page doesn't show "already signed in" before it redirects.
  const [leaving, setLeaving] = useState(false);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [again, setAgain] = useState(false);
  useEffect(() => {
    const query = new URLSearchParams(window.location.search);
    setAgain(query.has('again'));
    const code = query.get('problem');
    // Set if a provider redirected the browser here.
    if (code !== null) void inWords(({ problemFor }) => problemFor(code)).then((one) => setProblems([one]));
  }, []);
  if (state.status === 'signed-in' && !leaving && !again) {
    return (
      <Shell page="page.welcome-back">
        <AlreadySignedIn user={state.session.user} host={host} problems={problems} />
      </Shell>
    );
  }
  return (
    <Shell page="page.sign-in" intro={intro}>
      <SignInForm
        ended={state.status === 'signed-out' && state.reason === 'ended'}
        again={again}
        problems={problems}
        onLeave={setLeaving}
        onProblems={setProblems}
      />
    </Shell>
  );
}

export function AlreadySignedIn(props: {
  user: User;
  host: string | undefined;
  problems: readonly Problem[];
}) {
  const { user, host } = props;
  const [, navigate] = useLocation();
  const submit = useSubmit(
    async () => {
      await goOn(sessionClient().state(), navigate);
      return undefined;
    },
    {},
    props.problems,
  );
  const who = nameOf(user);
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <p>{who === '' ? t('sign-in.already-guest') : t('sign-in.already', { who })}</p>
      <Submit busy={submit.busy}>
        {host === undefined ? t('sign-in.continue') : t('sign-in.continue-to', { host })}
      </Submit>
      <SubtleButton
        disabled={submit.busy}
        onClick={() =>
          submit.run(undefined, async () => {
            await signOut('local');
            return undefined;
          })
        }
      >
        {t('sign-in.other')}
      </SubtleButton>
    </Form>
  );
}

function SignInForm(props: {
  ended: boolean;
  /** The signed-in user signs in again before a sensitive change. */
  again: boolean;
  /** Errors that the previous page passed to this page. */
  problems: readonly Problem[];
  onLeave: (leaving: boolean) => void;
  onProblems: (problems: readonly Problem[]) => void;
}) {
  const { ended, again, onLeave, onProblems } = props;
  const [, navigate] = useLocation();
  const { search, next } = useFlow();
  const { offers } = usePageConfig();

  const [choosesWallet, setChoosesWallet] = useState(false);

  async function leaving(work: () => Promise<void>): Promise<undefined> {
    onLeave(true);
    try {
      await work();
    } catch (error) {
      // The user is signed in, but the next step failed, so the page shows the user and the error.
      if (sessionClient().state().status === 'signed-in') {
        onProblems([await inWords(({ problemOf }) => problemOf(error))]);
      }
      onLeave(false);
      throw error;
    }
  }

  const submit = useSubmit(async (field) => {
    const [email, password] = [field('email').trim(), field('password')];
    const wrong = emailProblem(email);
    if (wrong !== undefined) return [wrong];
    if (password === '') return [{ text: t('field.password-missing'), fieldId: passwordId }];
    return leaving(async () => goOn(await signIn(email, password), navigate));
  });

  const send = async (field: Parameters<Handler>[0], purpose: 'sign-in' | 'confirm') => {
    const email = field('email').trim();
    const wrong = emailProblem(email);
    if (wrong !== undefined) return [wrong];
    // If a code was sent a moment ago, for example because the user went back from the code page, no new code is sent.
    if (!wasJustSent(email, purpose, pageConfig.resendAfter)) {
      const { number } = await sendCode({ email }, purpose);
      rememberCode({ to: { email }, purpose, sentAt: Date.now(), number });
    }
    navigate(`/code${search}`);
    return undefined;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once, when the page mounts
  useEffect(() => {
    const { passkey } = pageConfig.offers;
    // Offering passkeys in the field would require a captcha, and opening the page alone must not trigger one.
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
      {ended ? <Notice tone="info">{t('sign-in.ended')}</Notice> : null}
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
        {offers.password ? (
          <div data-part="password">
            <EmailField id={emailId} error={submit.errorAt(emailId)} withKeys={offers.passkey} keepsTyped />
            <PasswordField
              id={passwordId}
              name="password"
              size="md"
              label={t('field.password')}
              autoComplete="current-password"
              required
              withAsterisk={false}
              error={submit.errorAt(passwordId)}
            />
            <PageLink to="recover">{t('sign-in.forgot')}</PageLink>
            <Submit busy={submit.busy}>{t('sign-in.submit')}</Submit>
            {submit.problems.some(({ code }) => code === 'email_not_confirmed') ? (
              <SubtleButton
                disabled={submit.busy}
                onClick={(event) =>
                  void submit.run(event.currentTarget.form ?? undefined, (field) => send(field, 'confirm'))
                }
              >
                {t('code.resend')}
              </SubtleButton>
            ) : null}
          </div>
        ) : null}
        {offers.code ? (
          <div data-part="code">
            <Divider>{t('sign-in.or')}</Divider>
            <SubtleButton
              {...posts('code')}
              leftSection={<IconMail {...mark} />}
              disabled={submit.busy}
              onClick={(event) => {
                event.preventDefault();
                void submit.run(event.currentTarget.form ?? undefined, (field) => send(field, 'sign-in'));
              }}
            >
              {t('sign-in.send-code')}
            </SubtleButton>
          </div>
        ) : null}
        {offers.social ? <SocialLinks /> : null}
        {offers.passkey ? (
          <div data-part="passkey">
            <SubtleButton
              leftSection={<IconFingerprint {...mark} />}
              disabled={submit.busy}
              onClick={() =>
                submit.run(undefined, () =>
                  leaving(async () => {
                    const { signInWithPasskey } = await loaded(import('../methods/api.ts'));
                    await goOn(await signInWithPasskey(), navigate);
                  }),
                )
              }
            >
              {t('sign-in.passkey')}
            </SubtleButton>
          </div>
        ) : null}
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
      </Form>
      <OtherPages />
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

/** Links to the sign-in methods that have their own page. */
function OtherPages() {
  const { offers } = usePageConfig();
  if (!offers.phone && !offers.sso) return null;
  return (
    <Row>
      {offers.phone ? (
        <span data-part="phone">
          <PageLink to="code" query="by=phone">
            {t('sign-in.phone')}
          </PageLink>
        </span>
      ) : null}
      {offers.sso ? (
        <span data-part="sso">
          <PageLink to="sso">{t('sign-in.sso')}</PageLink>
        </span>
      ) : null}
    </Row>
  );
}

/** The attributes of a form's second button. Without scripts, the button sends its action as a form field. */
const posts = (value: string) => ({ type: 'submit', name: 'do', value }) as const;

function emailProblem(email: string) {
  if (email === '') return { text: t('field.email-missing'), fieldId: emailId };
  return looksLikeEmail(email) ? undefined : { text: t('field.email-wrong'), fieldId: emailId };
}
