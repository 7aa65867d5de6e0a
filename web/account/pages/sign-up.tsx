import { useLocation } from 'wouter';
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
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { toOrganization } from '../to-organization.ts';

const emailId = 'email';
const passwordId = 'new-password';

export function SignUpPage() {
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const { brand, password: policy, offers } = usePageConfig();
  const intro = useIntroduction(brand.welcome);
  const submit = useSubmit(
    async (field) => {
      const [email, chosen] = [field('email').trim(), field('password')];
      if (!looksLikeEmail(email)) {
        return [{ text: email === '' ? t('field.email-missing') : t('field.email-wrong'), fieldId: emailId }];
      }
      if (!isGoodPassword(chosen, policy)) return [{ text: t('field.password-weak'), fieldId: passwordId }];
      const { state, number } = await signUp(email, chosen).catch((error: unknown) =>
        toOrganization(error, email),
      );
      if (state === undefined) {
        rememberCode({ to: { email }, purpose: 'confirm', sentAt: Date.now(), number });
        navigate(`/code${search}`);
      } else {
        await goOn(state, navigate);
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
  return (
    <Shell page="page.sign-up" intro={intro}>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <EmailField id={emailId} error={submit.errorAt(emailId)} />
        <NewPasswordField id={passwordId} label={t('field.password')} error={submit.errorAt(passwordId)} />
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
