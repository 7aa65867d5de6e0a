/**
 * The pages, in every state, with which the server responds to forms that were submitted without scripts. These pages
 * are prerendered and never contain scripts, and only visitors without scripts download them.
 */
import { Button } from '@mantine/core';
import { IconBuilding, IconMail, IconUser } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { Agreement } from '../agreement.tsx';
import { PasswordRules } from '../form/password-rules.tsx';
import { mark } from '../methods/mark.tsx';
import { OtherWays } from '../methods/others.tsx';
import { SocialLinks } from '../methods/social.tsx';
import partClasses from '../parts.module.css';
import {
  Aside,
  DangerButton,
  Divider,
  NumberAside,
  PageButton,
  PageLink,
  Stack,
  Submit,
  SubtleButton,
} from '../parts.tsx';
import { Accounts } from './accounts.tsx';
import {
  browser,
  CodeInput,
  connection,
  DomainInput,
  EmailInput,
  type ErrorField,
  email,
  host,
  introduction,
  number,
  PasswordEntry,
  RecoveryCodeInput,
  requestId,
  system,
  target,
} from './fields.tsx';
import { notMePages } from './not-me.tsx';
import { organizationPages } from './organizations.tsx';
import { Last, Page, Posted } from './parts.tsx';
import { removeFactorsPages } from './remove-factors.tsx';
import { setupPages } from './setup.tsx';
import { t } from './text.ts';

interface State {
  readonly errorField?: ErrorField;
  readonly resent?: boolean;
  readonly unconfirmed?: boolean;
}

const ActionButton = (props: { value: string; mark?: ReactNode; children: ReactNode }) => (
  <SubtleButton type="submit" name="do" value={props.value} leftSection={props.mark} formNoValidate>
    {props.children}
  </SubtleButton>
);

function SignIn({ errorField }: State) {
  return (
    <Page title="page.sign-in" intro={introduction}>
      <Posted errorField={errorField}>
        <div data-part="address">
          <EmailInput errorField={errorField} />
          <Submit busy={false}>{t('sign-in.next')}</Submit>
        </div>
        <div data-part="or">
          <Divider>{t('sign-in.or')}</Divider>
        </div>
        <SocialLinks list="first" />
        <OtherWays>
          <SocialLinks list="more" />
          <div data-part="guest">
            <ActionButton value="guest" mark={<IconUser {...mark} />}>
              {t('sign-in.guest')}
            </ActionButton>
          </div>
          <span data-part="sso">
            <PageButton isSubtle to="sso" icon={<IconBuilding {...mark} />}>
              {t('sign-in.sso')}
            </PageButton>
          </span>
        </OtherWays>
      </Posted>
      <div data-part="signUp">
        <Aside>
          {t('sign-in.new')} <PageLink to="sign-up">{t('sign-in.create')}</PageLink>
        </Aside>
      </div>
    </Page>
  );
}

function Password({ errorField, unconfirmed }: State) {
  return (
    <Page
      title="page.password"
      intro={
        <span className={partClasses.who}>
          <WithAddresses text={email} />
          <PageLink to="sign-in">{t('password.change')}</PageLink>
        </span>
      }
    >
      <Posted errorField={errorField}>
        <input type="email" name="email" autoComplete="username" defaultValue={email} readOnly hidden />
        <PasswordEntry errorField={errorField} isFirst />
        <PageLink to="recover">{t('sign-in.forgot')}</PageLink>
        <Submit busy={false}>{t('sign-in.submit')}</Submit>
        {unconfirmed === true ? <ActionButton value="confirm">{t('code.resend')}</ActionButton> : null}
        <Divider>{t('sign-in.or')}</Divider>
        <ActionButton value="code" mark={<IconMail {...mark} />}>
          {t('sign-in.send-code')}
        </ActionButton>
        <PageLink to="sign-in">{t('sso.other')}</PageLink>
      </Posted>
    </Page>
  );
}

/**
 * Shown if the address's domain has an SSO connection. If SSO is enforced, the user can't use another sign-in method.
 */
function Sso({ isEnforced }: { isEnforced: boolean }) {
  return (
    <Page title="page.sso" intro={t('plain.sso', { email })}>
      <Button component="a" href="/account/with?provider=sso" size="md" fullWidth>
        {t('plain.sso-button')}
      </Button>
      <PageLink to={isEnforced ? 'sign-in' : 'password'}>{t('sso.other')}</PageLink>
    </Page>
  );
}

function SsoDomain({ errorField }: State) {
  return (
    <Page title="page.sso" intro={t('sso.intro')}>
      <Posted errorField={errorField}>
        <DomainInput errorField={errorField} />
        <Submit busy={false}>{t('sso.submit')}</Submit>
      </Posted>
      <PageLink to="sign-in">{t('sso.other')}</PageLink>
    </Page>
  );
}

function SignUp({ errorField, isUnknown }: State & { isUnknown?: boolean }) {
  return (
    <Page title="page.sign-up" intro={introduction}>
      {isUnknown === true ? <Notice tone="info">{t('sign-up.unknown')}</Notice> : null}
      <Posted errorField={errorField}>
        <EmailInput errorField={errorField} />
        <PasswordEntry errorField={errorField} isNew isFirst={isUnknown === true} />
        <PasswordRules id="password-rules" password="" />
        <Submit busy={false}>{t('sign-up.submit')}</Submit>
        <Agreement />
        <div data-part="social">
          <Divider>{t('sign-in.or')}</Divider>
        </div>
        <SocialLinks />
      </Posted>
      <Aside>
        {t('sign-up.have')} <PageLink to="sign-in">{t('sign-up.sign-in')}</PageLink>
      </Aside>
    </Page>
  );
}

function Guest({ errorField }: State) {
  return (
    <Page title="page.guest" intro={t('guest.intro')}>
      <Posted errorField={errorField}>
        <Submit busy={false}>{t('sign-in.guest')}</Submit>
      </Posted>
      <Aside>
        {t('sign-up.have')} <PageLink to="sign-in">{t('sign-up.sign-in')}</PageLink>
      </Aside>
    </Page>
  );
}

function AddressForm({ errorField, isRecovery }: State & { isRecovery: boolean }) {
  return (
    <Page
      title={isRecovery ? 'page.recover' : 'page.code-ask'}
      intro={isRecovery ? t('code.recover-intro') : t('code.sign-in-intro')}
    >
      <Posted errorField={errorField}>
        <EmailInput errorField={errorField} />
        <Submit busy={false}>{t('code.send')}</Submit>
      </Posted>
      <PageLink to="sign-in">{isRecovery ? t('code.back') : t('sso.other')}</PageLink>
    </Page>
  );
}

function EnterCode({ errorField, resent, unconfirmed, isSignUp }: State & { isSignUp: boolean }) {
  return (
    <Page title="page.code" intro={t(isSignUp ? 'plain.sent-confirm' : 'plain.sent', { email })}>
      {resent === true ? <Notice tone="success">{t('code.resent')}</Notice> : null}
      {unconfirmed === true ? <Notice tone="warning">{t('plain.unconfirmed')}</Notice> : null}
      <Posted errorField={errorField}>
        <CodeInput errorField={errorField} className={partClasses.code} />
        <Submit busy={false}>{t('code.submit')}</Submit>
        <NumberAside text={t('plain.number', { number })} number={number} />
        <ActionButton value="check">{t('plain.check')}</ActionButton>
        <ActionButton value="resend">{t('code.resend')}</ActionButton>
        <ActionButton value="other">{t('code.other')}</ActionButton>
      </Posted>
    </Page>
  );
}

function NewPassword({ errorField, isJoining }: State & { isJoining: boolean }) {
  return (
    <Page
      title={isJoining ? 'page.join' : 'page.new-password'}
      intro={t(isJoining ? 'plain.join' : 'new-password.intro')}
    >
      <Posted errorField={errorField}>
        <PasswordEntry errorField={errorField} isNew />
        <PasswordRules id="password-rules" password="" />
        {isJoining ? null : <Aside>{t('new-password.others')}</Aside>}
        <Submit busy={false}>{t('new-password.submit')}</Submit>
      </Posted>
    </Page>
  );
}

/** The types of links that have their own page instead of the general `confirm` page. */
const linkTypes = ['invite', 'recovery', 'magiclink', 'email_change'] as const;

function ConfirmLink({ type }: { type: (typeof linkTypes)[number] }) {
  const name = '%PLINTH_NAME%';
  return (
    <Page title={`page.confirm-${type}`} intro={t(`confirm.${type}`, { name, email })}>
      <Posted errorField={undefined}>
        <Submit busy={false}>{t(`confirm.${type}-button`, { name })}</Submit>
      </Posted>
    </Page>
  );
}

/** Asks for the number in the window that requested the email. */
function ConfirmNumber({ errorField, hasDevice }: State & { hasDevice: boolean }) {
  return (
    <Page
      title="page.confirm-number"
      intro={hasDevice ? t('confirm.number-device', { browser, system }) : t('confirm.number')}
    >
      <p>
        <WithAddresses text={t('confirm.number-link', { email, name: '%PLINTH_NAME%' })} />
      </p>
      <Posted errorField={errorField}>
        <CodeInput errorField={errorField} className={partClasses.code} isNumber />
        <Submit busy={false}>{t('confirm.number-button')}</Submit>
      </Posted>
      <Aside>{t('confirm.number-warning')}</Aside>
    </Page>
  );
}

function Mfa({ errorField, isUnsaved }: State & { isUnsaved?: boolean }) {
  return (
    <Page title="page.mfa" intro={t('plain.mfa', { name: '%PLINTH_NAME%', email })}>
      {isUnsaved === true ? <Notice tone="warning">{t('plain.unsaved')}</Notice> : null}
      <Posted errorField={errorField}>
        <CodeInput errorField={errorField} className={partClasses.code} />
        <Submit busy={false}>{t('mfa.submit')}</Submit>
      </Posted>
      <Switch to="recovery">{t('mfa.use-recovery')}</Switch>
      <OtherSteps />
    </Page>
  );
}

function MfaRecovery({ errorField }: State) {
  return (
    <Page title="page.mfa" intro={t('mfa.recovery-intro')}>
      <Posted errorField={errorField}>
        <RecoveryCodeInput errorField={errorField} />
        <Submit busy={false}>{t('mfa.submit')}</Submit>
      </Posted>
      <Switch to="factor">{t('plain.mfa-app')}</Switch>
      <OtherSteps />
    </Page>
  );
}

/** A button that switches to the form for a recovery code, or back to the form for the factor's code. */
const Switch = ({ to, children }: { to: 'recovery' | 'factor'; children: ReactNode }) => (
  <form method="post" className={partClasses.stack}>
    <noscript>{'%PLINTH_FIELDS%'}</noscript>
    <ActionButton value={to}>{children}</ActionButton>
  </form>
);

const OtherSteps = () => (
  <>
    <Aside>{t('plain.mfa-other')}</Aside>
    <a className={partClasses.link} href="/account/accounts">
      {t('sign-in.other')}
    </a>
    <SignOut>{t('mfa.leave')}</SignOut>
  </>
);

const SignOut = ({ children }: { children: ReactNode }) => (
  <form method="post" action="/account/sign-out" className={partClasses.stack}>
    <noscript>{'%PLINTH_FIELDS%'}</noscript>
    <SubtleButton type="submit">{children}</SubtleButton>
  </form>
);

function SignedIn({ to, isGuest, errorField }: State & { to: 'app' | 'home'; isGuest: boolean }) {
  return (
    <Page title="page.signed-in" intro={isGuest ? t('plain.as-guest') : t('plain.as', { who: email })}>
      {errorField === undefined ? null : (
        <Posted errorField={errorField}>
          <PageLink to="security">{t('plain.account')}</PageLink>
        </Posted>
      )}
      {to === 'app' ? (
        <Stack>
          <Button component="a" href={target} size="md" fullWidth>
            {t('plain.continue', { host })}
          </Button>
          <Aside>{t('plain.continue-hint')}</Aside>
        </Stack>
      ) : null}
      <SignOut>{t('plain.sign-out')}</SignOut>
    </Page>
  );
}

/** Asks guests for confirmation before they sign out, because they can't sign in to the same account again. */
const LeaveGuest = (props: { from: 'signed-in' | 'accounts' }) => (
  <Page title="page.leave-guest" intro={t('guest.leave-text')}>
    <PageButton isSubtle to={props.from}>
      {t('guest.leave-cancel')}
    </PageButton>
    {props.from === 'accounts' ? (
      <Posted errorField={undefined}>
        <DangerButton type="submit" name="leave" value="yes">
          {t('guest.leave')}
        </DangerButton>
      </Posted>
    ) : (
      <form method="post" action="/account/sign-out" className={partClasses.stack}>
        <noscript>{'%PLINTH_FIELDS%'}</noscript>
        <DangerButton type="submit" name="do" value="leave">
          {t('guest.leave')}
        </DangerButton>
      </form>
    )}
    <Aside>{t(props.from === 'accounts' ? 'accounts.save-guest' : 'plain.save-guest')}</Aside>
  </Page>
);

/**
 * Asks for confirmation before the browser opens an identity provider's page, because another site opened this page.
 */
const With = () => (
  <Page title="page.with" intro={t('with.text', { connection })}>
    <Posted errorField={undefined}>
      <Submit busy={false}>{t('with.button', { connection })}</Submit>
    </Posted>
    <Aside>{t('with.warning')}</Aside>
    <PageLink to="sign-in">{t('sso.other')}</PageLink>
  </Page>
);

const faults = ['redirect_not_allowed', 'pkce_required', 'bad_code_challenge'] as const;

/** The page for an app's request that can't succeed. In development, the page also names the setting to change. */
function AppRefused({ fault, hint }: { fault: (typeof faults)[number]; hint: boolean }) {
  return (
    <Page title="page.refused-app" intro={t(`refused.${fault}`)}>
      {hint ? <Notice tone="info">{t(`refused.${fault}-hint`, { url: target })}</Notice> : null}
    </Page>
  );
}

function End({ title, text }: { title: string; text: string }) {
  return (
    <Page title={title} intro={text}>
      <PageButton to="sign-in">{t('signed-out.again')}</PageButton>
      <div>
        <Aside>{t('ui.request-id')}</Aside>
        <Aside>
          <code>{requestId}</code>
        </Aside>
      </div>
    </Page>
  );
}

const CancelChange = ({ text }: { text: string }) => (
  <Page title="page.cancel-change" intro={text}>
    <Posted errorField={undefined}>
      <Submit busy={false}>{t('cancel-change.button')}</Submit>
    </Posted>
  </Page>
);

const Unlocked = ({ title }: { title: string }) => (
  <Page title={title} intro={t('unlocked.text')}>
    <PageButton to="sign-in">{t('unlocked.button')}</PageButton>
    <PageButton isSubtle to="recover">
      {t('unlocked.password')}
    </PageButton>
  </Page>
);

type Render = (state: State) => ReactElement;

/** Returns one version of the page without an error, and one version for each field that can have an error. */
function inStates(
  name: string,
  render: Render,
  errorFields: readonly ErrorField[],
): [string, ReactElement][] {
  return [
    [name, render({})],
    ...errorFields.map((errorField): [string, ReactElement] => [
      `${name}.${errorField}`,
      render({ errorField }),
    ]),
  ];
}

/** Returns the pages, keyed by file name. The part of a file name after the dot is the page's state. */
export const plainPages = (): ReadonlyMap<string, ReactElement> =>
  new Map([
    ...inStates('sign-in', (state) => <SignIn {...state} />, ['form', 'email']),
    ...inStates('password', (state) => <Password {...state} />, ['form', 'password']),
    ['password.unconfirmed', <Password key="unconfirmed" errorField="form" unconfirmed />],
    ['accounts', <Accounts key="accounts" />],
    ['accounts.one', <Accounts key="accounts-one" done="one" />],
    ['accounts.all', <Accounts key="accounts-all" done="all" />],
    ['sso', <Sso key="sso" isEnforced={false} />],
    ['sso.enforced', <Sso key="sso-enforced" isEnforced />],
    ['sso.form', <SsoDomain key="sso-form" errorField="form" />],
    ['sso.domain', <SsoDomain key="sso-domain" errorField="domain" />],
    ...inStates('sign-up', (state) => <SignUp {...state} />, ['form', 'email', 'password']),
    ['sign-up.unknown', <SignUp key="unknown" isUnknown />],
    ['guest.form', <Guest key="guest" errorField="form" />],
    ...inStates('code', (state) => <AddressForm {...state} isRecovery={false} />, ['form', 'email']),
    ...inStates('recover', (state) => <AddressForm {...state} isRecovery />, ['form', 'email']),
    ...inStates('code-entry', (state) => <EnterCode {...state} isSignUp={false} />, ['form', 'code']),
    ['code-entry.unconfirmed', <EnterCode key="unconfirmed" unconfirmed isSignUp={false} />],
    ['code-confirm.unconfirmed', <EnterCode key="confirm-unconfirmed" unconfirmed isSignUp />],
    ...inStates('confirm-number', (state) => <ConfirmNumber {...state} hasDevice={false} />, ['code']),
    ...inStates('confirm-number-device', (state) => <ConfirmNumber {...state} hasDevice />, ['code']),
    ['confirm-canceled', <Last key="canceled" title="page.confirm-canceled" text={t('confirm.canceled')} />],
    ['cancel-change', <CancelChange key="cancel-change" text={t('cancel-change.text')} />],
    ['cancel-change-to', <CancelChange key="cancel-change-to" text={t('cancel-change.to', { email })} />],
    [
      'change-canceled',
      <Page key="change-canceled" title="page.change-canceled" intro={t('change-canceled.text')}>
        <PageButton to="recover">{t('change-canceled.password')}</PageButton>
      </Page>,
    ],
    ...notMePages(),
    ...removeFactorsPages(),
    ...organizationPages(),
    ...setupPages(),
    [
      'unlock',
      <Page key="unlock" title="page.unlock" intro={t('unlock.text')}>
        <Posted errorField={undefined}>
          <Submit busy={false}>{t('unlock.button')}</Submit>
        </Posted>
        <Aside>{t('not-me.was-me-not')}</Aside>
      </Page>,
    ],
    ['unlocked', <Unlocked key="unlocked" title="page.unlocked" />],
    ['unlocked-before', <Unlocked key="unlocked-before" title="page.unlocked-before" />],
    ['email-changed', <Last key="email-changed" title="page.email-changed" text={t('email-changed.text')} />],
    [
      'link-expired-recovery',
      <Page key="link-expired-recovery" title="page.link-expired" intro={t('link-expired.text')}>
        <PageButton to="recover">{t('code.resend')}</PageButton>
        <PageButton isSubtle to="sign-in">
          {t('link-expired.sign-in')}
        </PageButton>
      </Page>,
    ],
    [
      'confirmed',
      <Page key="confirmed" title="page.confirmed">
        <Notice tone="success">{t('confirm.done')}</Notice>
        <Aside>{t('confirm.closed')}</Aside>
        <PageButton isSubtle to="sign-in">
          {t('confirm.sign-in')}
        </PageButton>
      </Page>,
    ],
    [
      'link-expired-invite',
      <Page key="link-expired-invite" title="page.link-expired-invite" intro={t('link-expired.invite')}>
        <PageButton to="sign-in">{t('link-expired.sign-in')}</PageButton>
        <PageButton isSubtle to="code">
          {t('sign-in.send-code')}
        </PageButton>
      </Page>,
    ],
    ['code-entry.resent', <EnterCode key="entry" resent isSignUp={false} />],
    ...inStates('code-confirm', (state) => <EnterCode {...state} isSignUp />, ['form', 'code']),
    ['code-confirm.resent', <EnterCode key="confirm" resent isSignUp />],
    ...inStates('new-password', (state) => <NewPassword {...state} isJoining={false} />, [
      'form',
      'password',
    ]),
    ...inStates('join', (state) => <NewPassword {...state} isJoining />, ['form', 'password']),
    ...linkTypes.map((type): [string, ReactElement] => [
      `confirm-${type}`,
      <ConfirmLink key={type} {...{ type }} />,
    ]),
    ...inStates('mfa', (state) => <Mfa {...state} />, ['form', 'code']),
    ['mfa.unsaved', <Mfa key="mfa-unsaved" isUnsaved />],
    ...inStates('mfa-recovery', (state) => <MfaRecovery {...state} />, ['form', 'code']),
    ['signed-in.home', <SignedIn key="home" to="home" isGuest={false} />],
    ['signed-in.home-guest', <SignedIn key="home-guest" to="home" isGuest />],
    ['signed-in.app', <SignedIn key="app" to="app" isGuest={false} />],
    ['signed-in.app-guest', <SignedIn key="app-guest" to="app" isGuest />],
    ['signed-in.stuck', <SignedIn key="stuck" to="home" isGuest={false} errorField="form" />],
    ...faults.flatMap((fault): [string, ReactElement][] => [
      [`refused-${fault}`, <AppRefused key={fault} fault={fault} hint={false} />],
      [`refused-${fault}-development`, <AppRefused key={`${fault}-hint`} fault={fault} hint />],
    ]),
    ['leave-guest', <LeaveGuest key="leave-guest" from="signed-in" />],
    ['leave-guest-account', <LeaveGuest key="leave-guest-account" from="accounts" />],
    ['with', <With key="with" />],
    ['refused', <End key="refused" title="page.refused" text={t('plain.refused')} />],
    ['failed', <End key="failed" title="page.failed" text={t('plain.failed')} />],
    ['limited', <End key="limited" title="page.limited" text={t('plain.limited')} />],
  ]);
