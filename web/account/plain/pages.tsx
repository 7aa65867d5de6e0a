/**
 * The pages that respond to a form without scripts, in every state. They are prerendered and never run scripts, so only
 * visitors without scripts download them.
 */
import { Button } from '@mantine/core';
import { IconMail, IconUser } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { mark } from '../methods/mark.tsx';
import { SocialLinks } from '../methods/social.tsx';
import partClasses from '../parts.module.css';
import { Aside, Divider, Form, PageButton, PageLink, Quiet, Stack, Submit } from '../parts.tsx';
import { PasswordRules } from '../password-rules.tsx';
import { Shell, type ShellProps } from '../shell.tsx';
import {
  CodeInput,
  EmailInput,
  email,
  host,
  PasswordEntry,
  type Place,
  problemsAt,
  requestId,
  target,
} from './fields.tsx';
import { t } from './text.ts';

interface State {
  readonly place?: Place;
  readonly resent?: boolean;
}

/** The browser submits the form natively. */
const posts = () => {};

const Page = (props: { title: string; lead?: ReactNode; children?: ReactNode }) => (
  <Shell page={props.title as ShellProps['page']} lead={props.lead}>
    {props.children}
  </Shell>
);

const Posted = (props: { place: Place | undefined; children: ReactNode }) => (
  <Form onSubmit={posts} problems={problemsAt(props.place)}>
    {props.children}
  </Form>
);

const Wish = (props: { value: string; mark?: ReactNode; children: ReactNode }) => (
  <Quiet type="submit" name="do" value={props.value} leftSection={props.mark} formNoValidate>
    {props.children}
  </Quiet>
);

function SignIn({ place }: State) {
  return (
    <Page title="page.sign-in">
      <Posted place={place}>
        <div data-part="password">
          <EmailInput place={place} />
          <PasswordEntry place={place} />
          <PageLink to="recover">{t('sign-in.forgot')}</PageLink>
          <Submit busy={false}>{t('sign-in.submit')}</Submit>
        </div>
        <div data-part="code">
          <Divider>{t('sign-in.or')}</Divider>
          <Wish value="code" mark={<IconMail {...mark} />}>
            {t('sign-in.send-code')}
          </Wish>
        </div>
        <SocialLinks />
        <div data-part="guest">
          <Wish value="guest" mark={<IconUser {...mark} />}>
            {t('sign-in.guest')}
          </Wish>
        </div>
      </Posted>
      <div data-part="signUp">
        <Aside>
          {t('sign-in.new')} <PageLink to="sign-up">{t('sign-in.create')}</PageLink>
        </Aside>
      </div>
    </Page>
  );
}

function SignUp({ place }: State) {
  return (
    <Page title="page.sign-up">
      <Posted place={place}>
        <EmailInput place={place} />
        <PasswordEntry place={place} isNew />
        <PasswordRules id="password-rules" password="" />
        <Submit busy={false}>{t('sign-up.submit')}</Submit>
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

function Guest({ place }: State) {
  return (
    <Page title="page.guest" lead={t('guest.intro')}>
      <Posted place={place}>
        <Submit busy={false}>{t('sign-in.guest')}</Submit>
      </Posted>
      <Aside>
        {t('sign-up.have')} <PageLink to="sign-in">{t('sign-up.sign-in')}</PageLink>
      </Aside>
    </Page>
  );
}

function AskAddress({ place, isRecovery }: State & { isRecovery: boolean }) {
  return (
    <Page
      title={isRecovery ? 'page.recover' : 'page.code-ask'}
      lead={isRecovery ? t('code.recover-intro') : t('code.sign-in-intro')}
    >
      <Posted place={place}>
        <EmailInput place={place} />
        <Submit busy={false}>{t('code.send')}</Submit>
      </Posted>
      <PageLink to="sign-in">{isRecovery ? t('code.back') : t('sso.other')}</PageLink>
    </Page>
  );
}

function EnterCode({ place, resent, isSignUp }: State & { isSignUp: boolean }) {
  return (
    <Page title="page.code" lead={t(isSignUp ? 'plain.sent-confirm' : 'plain.sent', { email })}>
      {resent === true ? <Notice tone="success">{t('code.resent')}</Notice> : null}
      <Posted place={place}>
        <CodeInput place={place} className={partClasses.code} />
        <Submit busy={false}>{t('code.submit')}</Submit>
        <Wish value="resend">{t('code.resend')}</Wish>
        <Wish value="other">{t('code.other')}</Wish>
      </Posted>
    </Page>
  );
}

function NewPassword({ place }: State) {
  return (
    <Page title="page.new-password" lead={t('new-password.intro')}>
      <Posted place={place}>
        <PasswordEntry place={place} isNew />
        <PasswordRules id="password-rules" password="" />
        <Aside>{t('new-password.others')}</Aside>
        <Submit busy={false}>{t('new-password.submit')}</Submit>
      </Posted>
    </Page>
  );
}

function Mfa({ place }: State) {
  return (
    <Page title="page.mfa" lead={t('plain.mfa', { name: '%PLINTH_NAME%' })}>
      <Posted place={place}>
        <CodeInput place={place} className={partClasses.code} />
        <Submit busy={false}>{t('mfa.submit')}</Submit>
      </Posted>
      <SignOut>{t('mfa.leave')}</SignOut>
    </Page>
  );
}

const SignOut = ({ children }: { children: ReactNode }) => (
  <form method="post" action="/account/sign-out" className={partClasses.stack}>
    <noscript>{'%PLINTH_FIELDS%'}</noscript>
    <Quiet type="submit">{children}</Quiet>
  </form>
);

function SignedIn({ to, isGuest, place }: State & { to: 'app' | 'home'; isGuest: boolean }) {
  return (
    <Page title="page.signed-in" lead={isGuest ? t('plain.as-guest') : t('plain.as', { who: email })}>
      {place === undefined ? null : (
        <Posted place={place}>
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

function End({ title, text }: { title: string; text: string }) {
  return (
    <Page title={title} lead={text}>
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

type Render = (state: State) => ReactElement;

/** Renders the state after a successful form, and one state per possible error. */
function inStates(name: string, render: Render, places: readonly Place[]): [string, ReactElement][] {
  return [
    [name, render({})],
    ...places.map((place): [string, ReactElement] => [`${name}.${place}`, render({ place })]),
  ];
}

/** Pages by file name. The part after the dot is the state. */
export const plainPages = (): ReadonlyMap<string, ReactElement> =>
  new Map([
    ...inStates('sign-in', (state) => <SignIn {...state} />, ['form', 'email', 'password']),
    ...inStates('sign-up', (state) => <SignUp {...state} />, ['form', 'email', 'password']),
    ['guest.form', <Guest key="guest" place="form" />],
    ...inStates('code', (state) => <AskAddress {...state} isRecovery={false} />, ['form', 'email']),
    ...inStates('recover', (state) => <AskAddress {...state} isRecovery />, ['form', 'email']),
    ...inStates('code-entry', (state) => <EnterCode {...state} isSignUp={false} />, ['form', 'code']),
    ['code-entry.resent', <EnterCode key="entry" resent isSignUp={false} />],
    ...inStates('code-confirm', (state) => <EnterCode {...state} isSignUp />, ['form', 'code']),
    ['code-confirm.resent', <EnterCode key="confirm" resent isSignUp />],
    ...inStates('new-password', (state) => <NewPassword {...state} />, ['form', 'password']),
    ...inStates('mfa', (state) => <Mfa {...state} />, ['form', 'code']),
    ['signed-in.home', <SignedIn key="home" to="home" isGuest={false} />],
    ['signed-in.home-guest', <SignedIn key="home-guest" to="home" isGuest />],
    ['signed-in.app', <SignedIn key="app" to="app" isGuest={false} />],
    ['signed-in.app-guest', <SignedIn key="app-guest" to="app" isGuest />],
    ['signed-in.stuck', <SignedIn key="stuck" to="home" isGuest={false} place="form" />],
    ['refused', <End key="refused" title="page.refused" text={t('plain.refused')} />],
    ['failed', <End key="failed" title="page.failed" text={t('plain.failed')} />],
  ]);
