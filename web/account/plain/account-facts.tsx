import { WithAddresses } from '../addresses.tsx';
import partClasses from '../parts.module.css';
import { Aside, PageButton, SubtleButton } from '../parts.tsx';
import classes from '../security/security.module.css';
import { t } from './text.ts';

/**
 * The version of the security page that works without scripts. The page shows the account, but most settings can be
 * changed only with JavaScript.
 */
export function AccountFacts() {
  return (
    <section className={classes.card} aria-label={t('page.security')}>
      <dl className={classes.known}>
        <dt>{t('field.email')}</dt>
        <dd>
          <WithAddresses text="%PLINTH_FACT_EMAIL%" />
        </dd>
        <dt>{t('field.phone')}</dt>
        <dd>
          <bdi>{'%PLINTH_FACT_PHONE%'}</bdi>
        </dd>
        <dt>{t('plain.connected')}</dt>
        <dd>{'%PLINTH_FACT_PROVIDERS%'}</dd>
      </dl>
      <p>{t('plain.needs-scripts')}</p>
      <PageButton isSubtle to="recover">
        {t('page.recover')}
      </PageButton>
      <form method="post" action="/account/sign-out" className={partClasses.stack}>
        {'%PLINTH_FIELDS%'}
        <SubtleButton type="submit">{t('plain.sign-out')}</SubtleButton>
      </form>
      <Aside>
        <a className={partClasses.link} href="%PLINTH_APP_URL%">
          {t('plain.back', { name: '%PLINTH_NAME%' })}
        </a>
      </Aside>
    </section>
  );
}
