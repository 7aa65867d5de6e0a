/** The pages around a link from a mail: the button that uses it, and how it went. They work without scripts. */
import { useHistoryState } from 'wouter/use-browser-location';
import { useReady } from '../early.ts';
import classes from '../parts.module.css';
import { PageButton, Submit } from '../parts.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

/** The server puts the link's own fields in; hydration leaves them alone. */
const fields = { __html: '%PLINTH_FIELDS%' };

export function ConfirmPage() {
  useReady();
  return (
    <Shell page="page.confirm" lead={t('confirm.text')}>
      <form className={classes.stack} method="post" action="/account/confirm">
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: hidden fields, escaped by the server */}
        <span hidden suppressHydrationWarning dangerouslySetInnerHTML={fields} />
        <Submit busy={false}>{t('confirm.button')}</Submit>
      </form>
    </Shell>
  );
}

export function ConfirmOtherPage() {
  return (
    <Shell page="page.confirm-other" lead={t('confirm-other.text')}>
      <PageButton isQuiet to="security">
        {t('confirm-other.home')}
      </PageButton>
    </Shell>
  );
}

/** The way to the app once more: the server writes it in, or `leaveFor` has left it in the history's entry. */
export function ContinuePage() {
  const left: unknown = useHistoryState();
  const target = typeof left === 'string' ? left : '/account/security';
  return (
    <Shell page="page.continue" lead={t('continue.text')}>
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
    <Shell page="page.link-expired" lead={t('link-expired.text')}>
      <PageButton to="sign-in">{t('link-expired.sign-in')}</PageButton>
    </Shell>
  );
}
