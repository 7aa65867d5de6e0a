/**
 * The pages for links in emails. One page has a button that uses the link, and the other pages show the result. All of
 * these pages work without scripts.
 */
import { useHistoryState } from 'wouter/use-browser-location';
import { WithAddresses } from '../addresses.tsx';
import { useReady } from '../early.ts';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { PageButton, Submit } from '../parts.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

/** The server inserts the fields of the form, and hydration leaves them unchanged. */
const fields = { __html: '%PLINTH_FIELDS%' };

export function ConfirmPage() {
  useReady();
  const { address } = usePageConfig();
  return (
    <Shell
      page="page.confirm"
      intro={<WithAddresses text={t('confirm.text', { email: address })} inserted={address} />}
    >
      <form className={classes.stack} method="post" action="/account/confirm">
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: hidden fields, escaped by the server */}
        <span hidden suppressHydrationWarning dangerouslySetInnerHTML={fields} />
        <Submit busy={false}>{t('confirm.button')}</Submit>
      </form>
    </Shell>
  );
}

export function ConfirmOtherPage() {
  const { address } = usePageConfig();
  return (
    <Shell
      page="page.confirm-other"
      intro={<WithAddresses text={t('confirm-other.text', { email: address })} inserted={address} />}
    >
      <PageButton isSubtle to="security">
        {t('confirm-other.home')}
      </PageButton>
    </Shell>
  );
}

/**
 * Offers the link to the app again. The server wrote the link into the page, or `leaveFor` stored it in the history
 * entry.
 */
export function ContinuePage() {
  const left: unknown = useHistoryState();
  const target = typeof left === 'string' ? left : '/account/security';
  return (
    <Shell page="page.continue" intro={t('continue.text')}>
      <a
        className={classes.link}
        href={import.meta.env.SSR ? '%PLINTH_TARGET%' : target}
        suppressHydrationWarning
      >
        {t('continue.link')}
      </a>
    </Shell>
  );
}

export function LinkExpiredPage() {
  return (
    <Shell page="page.link-expired" intro={t('link-expired.text')}>
      <div data-part="code">
        <PageButton to="code">{t('sign-in.send-code')}</PageButton>
      </div>
      <PageButton isSubtle to="sign-in">
        {t('link-expired.sign-in')}
      </PageButton>
    </Shell>
  );
}
