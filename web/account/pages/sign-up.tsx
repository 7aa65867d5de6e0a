import { useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { Notice } from '../../ui/notice.tsx';
import { signUp } from '../account-api.ts';
import { Agreement } from '../agreement.tsx';
import { useFlow } from '../flow.ts';
import { isGoodPassword, looksLikeEmail } from '../form/fields.ts';
import { NewPasswordField } from '../form/new-password-field.tsx';
import { rememberCode } from '../form/pending.ts';
import { useSubmit } from '../form/use-submit.ts';
import { useIntroduction } from '../introduction.ts';
import { SocialLinks } from '../methods/social.tsx';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import { Aside, Divider, EmailField, Form, PageLink, Submit } from '../parts.tsx';
import { useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { toOrganization } from '../to-organization.ts';
import { AlreadySignedIn } from './already-signed-in.tsx';

const emailId = 'email';
const passwordId = 'new-password';
/** The history state of this page if the user has tried to sign in with an address that no account has. */
export const unknownAddress = 'unknown-address';

/** Whether the sign-in page has sent the user here. False during prerendering. */
const useIsUnknown = (): boolean =>
  useSyncExternalStore(
    () => () => {},
    () =>
      window.history.state === unknownAddress || new URLSearchParams(window.location.search).has('chosen'),
    () => false,
  );

export function SignUpPage() {
  const [, navigate] = useLocation();
  const { search, again, adds } = useFlow();
  const state = useSession();
  // True while this form signs the user up. The page then doesn't show "already signed in" before it redirects.
  const [leaving, setLeaving] = useState(false);
  const { brand, password: policy, offers } = usePageConfig();
  const intro = useIntroduction(brand.welcome);
  const isUnknown = useIsUnknown();
  const submit = useSubmit(
    async (field) => {
      const [email, chosen] = [field('email').trim(), field('password')];
      if (!looksLikeEmail(email)) {
        return [{ text: email === '' ? t('field.email-missing') : t('field.email-wrong'), fieldId: emailId }];
      }
      if (!isGoodPassword(chosen, policy)) return [{ text: t('field.password-weak'), fieldId: passwordId }];
      setLeaving(true);
      const { state: arrived, number } = await signUp(email, chosen).catch((error: unknown) => {
        setLeaving(false);
        return toOrganization(error, email);
      });
      if (arrived === undefined) {
        rememberCode({ to: { email }, purpose: 'confirm', sentAt: Date.now(), number });
        navigate(`/code${search}`);
      } else {
        await goOn(arrived, navigate);
      }
      return undefined;
    },
    {
      sso_required: emailId,
      weak_password: passwordId,
      user_already_exists: emailId,
      email_address_invalid: emailId,
    },
  );
  // The user may have returned from the app with the browser's back button.
  if (
    state.status === 'signed-in' &&
    state.session.user.is_anonymous !== true &&
    !leaving &&
    !again &&
    !adds
  ) {
    return (
      <Shell page="page.welcome-back">
        <AlreadySignedIn user={state.session.user} problems={submit.problems} />
      </Shell>
    );
  }
  return (
    <Shell page="page.sign-up" intro={intro}>
      {isUnknown ? <Notice tone="info">{t('sign-up.unknown')}</Notice> : null}
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <EmailField id={emailId} error={submit.errorAt(emailId)} keepsTyped isFirst />
        <NewPasswordField
          id={passwordId}
          label={t('field.password')}
          error={submit.errorAt(passwordId)}
          isFirst
        />
        <Submit busy={submit.busy}>{t('sign-up.submit')}</Submit>
        <Agreement />
        {offers.social ? (
          <>
            <div data-part="social">
              <Divider>{t('sign-in.or')}</Divider>
            </div>
            <SocialLinks />
          </>
        ) : null}
      </Form>
      {offers.phone ? (
        <span data-part="phone">
          <PageLink to="code" query="by=phone&purpose=sign-up">
            {t('sign-up.phone')}
          </PageLink>
        </span>
      ) : null}
      <Aside>
        {t('sign-up.have')} <PageLink to="sign-in">{t('sign-up.sign-in')}</PageLink>
      </Aside>
    </Shell>
  );
}
