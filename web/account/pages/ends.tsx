/** The pages at which a way ends: signed out, and nothing here. */
import { usePageConfig } from '../page-config.ts';
import { Aside, PageLink } from '../parts.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

export function SignedOutPage() {
  return (
    <Shell page="page.signed-out" lead={t('signed-out.text')}>
      <PageLink to="sign-in">{t('signed-out.again')}</PageLink>
    </Shell>
  );
}

export function ErrorPage() {
  const { requestId } = usePageConfig();
  return (
    <Shell page="page.error" lead={t('error.text')}>
      <PageLink to="security">{t('error.home')}</PageLink>
      <Aside>
        {t('error.request-id')} <code>{requestId}</code>
      </Aside>
    </Shell>
  );
}
