/** The pages that are opened by the link "This wasn't me" in security notices. */
import type { ReactElement } from 'react';
import { WithAddresses } from '../addresses.tsx';
import partClasses from '../parts.module.css';
import { Aside, PageButton, Stack, Submit } from '../parts.tsx';
import { browser, email, system, when } from './fields.tsx';
import { Last, Page, Posted } from './parts.tsx';
import { t } from './text.ts';

/** The changes that the link in a security notice undoes. */
const kinds = [
  'new_device',
  'password_set',
  'password_changed',
  'email_changed',
  'phone_changed',
  'factor_added',
  'factor_removed',
  'factor_removal_requested',
  'factors_reset',
  'recovery_code_used',
  'passkey_added',
  'identity_linked',
  'identity_unlinked',
  'app_connected',
  'api_key_created',
] as const;

/** The later changes that the link undoes too. The server repeats the rows (`repeatChanges`). */
const laterKinds = [
  'password_set',
  'password_changed',
  'email_changed',
  'phone_changed',
  'factor_added',
  'recovery_codes_created',
  'passkey_added',
  'identity_linked',
  'app_connected',
  'api_key_created',
] as const;

const later = {
  when: '%PLINTH_CHANGE_WHEN%',
  browser: '%PLINTH_CHANGE_BROWSER%',
  system: '%PLINTH_CHANGE_SYSTEM%',
};

/** Shows which change the button undoes, before the user presses the button. */
function NotMe({ kind }: { kind: (typeof kinds)[number] }) {
  return (
    <Page title="page.not-me" intro={t(`not-me.${kind}`, { when })}>
      <Stack>
        <p data-device="true">{t('not-me.device', { browser, system })}</p>
        <p>{t('not-me.then')}</p>
        <ul className={partClasses.steps}>
          {/* The item `not-me.sign-out` already covers the password. */}
          {kind === 'password_changed' || kind === 'password_set' ? null : (
            <li>
              <WithAddresses text={t(`not-me.${kind}-undo`, { email })} />
            </li>
          )}
          <li data-later="true">
            {t('not-me.later')}
            <ul className={partClasses.steps} data-list="changes">
              {laterKinds.map((each) => (
                <li key={each} data-kind={each}>
                  {t(`not-me.later-${each}`, { when: later.when })}
                  <span data-device="true">{t('not-me.later-device', later)}</span>
                </li>
              ))}
            </ul>
          </li>
          <li>{t('not-me.sign-out')}</li>
          <li>
            <WithAddresses text={t('not-me.back-in', { email })} />
          </li>
        </ul>
      </Stack>
      <Posted errorField={undefined}>
        <Submit busy={false}>{t('not-me.button')}</Submit>
      </Posted>
      <Aside>{t('not-me.was-me')}</Aside>
    </Page>
  );
}

const Secured = ({ hasFactor }: { hasFactor: boolean }) => (
  <Page title="page.secured" intro={t('secured.text')}>
    <PageButton to="recover">{t('secured.button')}</PageButton>
    <Aside>{t(hasFactor ? 'secured.has-factor' : 'secured.factor')}</Aside>
  </Page>
);

/** Returns the pages, keyed by file name. */
export const notMePages = (): [string, ReactElement][] => [
  ...kinds.map((kind): [string, ReactElement] => [`not-me-${kind}`, <NotMe key={kind} kind={kind} />]),
  [
    'not-me-secured',
    <Page key="not-me-secured" title="page.not-me-secured" intro={t('not-me-secured.text', { when })}>
      <PageButton to="sign-in">{t('unlocked.button')}</PageButton>
      <PageButton isSubtle to="recover">
        {t('secured.button')}
      </PageButton>
      <Aside>{t('not-me-secured.help')}</Aside>
    </Page>,
  ],
  [
    'not-me-expired',
    <Page key="not-me-expired" title="page.link-expired" intro={t('not-me-expired.text')}>
      <PageButton to="recover">{t('secured.button')}</PageButton>
      <PageButton isSubtle to="sign-in">
        {t('unlocked.button')}
      </PageButton>
    </Page>,
  ],
  ['secured', <Secured key="secured" hasFactor={false} />],
  ['secured-factor', <Secured key="secured-factor" hasFactor />],
  [
    'secured-sso',
    <Page key="secured-sso" title="page.secured" intro={t('secured.sso')}>
      <PageButton to="sso">{t('secured.sso-button')}</PageButton>
    </Page>,
  ],
  ['secured-none', <Last key="secured-none" title="page.secured" text={t('secured.none')} />],
];
