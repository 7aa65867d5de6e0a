import { TextInput } from '@mantine/core';
import { leaveFor } from '../account-api.ts';
import { useFlow } from '../flow.ts';
import { looksLikeEmail } from '../form/fields.ts';
import { useTypedAddress } from '../form/typed-address.ts';
import { useSubmit } from '../form/use-submit.ts';
import { findOrganization } from '../methods/api.ts';
import { usePageConfig } from '../page-config.ts';
import { Form, PageLink, Submit } from '../parts.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

const domainId = 'domain';

/** The page for single sign-on. The domain of the user's work email address determines the identity provider. */
export function SsoPage() {
  const { search } = useFlow();
  const address = useTypedAddress();
  const hasPassword = usePageConfig().offers.password && looksLikeEmail(address);
  const submit = useSubmit(
    async (field) => {
      const typed = field('domain').trim().toLowerCase();
      const domain = typed.slice(typed.lastIndexOf('@') + 1);
      if (!/^[^\s/]+\.[^\s/.]+$/.test(domain)) return [{ text: t('field.domain-wrong'), fieldId: domainId }];
      await leaveFor(await findOrganization(domain, search.slice(1)));
      return undefined;
    },
    { sso_provider_not_found: domainId },
  );
  return (
    <Shell page="page.sso" intro={t('sso.intro')}>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <TextInput
          id={domainId}
          name="domain"
          size="md"
          label={t('sso.domain')}
          description={t('sso.domain-hint')}
          autoComplete="email"
          inputMode="email"
          spellCheck={false}
          autoCapitalize="none"
          required
          key={address}
          defaultValue={address}
          withAsterisk={false}
          error={submit.errorAt(domainId)}
          data-first
        />
        <Submit busy={submit.busy}>{t('sso.submit')}</Submit>
      </Form>
      <PageLink to={hasPassword ? 'password' : 'sign-in'}>{t('sso.other')}</PageLink>
    </Shell>
  );
}
