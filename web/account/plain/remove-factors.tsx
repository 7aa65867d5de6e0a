/** The pages that are opened by the links in the email about lost second factors. */
import type { ReactElement } from 'react';
import { Aside, PageButton, Submit } from '../parts.tsx';
import { email, when } from './fields.tsx';
import { Page, Posted } from './parts.tsx';
import { t } from './text.ts';

/** Returns the pages, keyed by file name. */
export const removeFactorsPages = (): [string, ReactElement][] => [
  [
    'remove-factors',
    <Page key="ask" title="page.remove-factors" intro={t('remove-factors.text', { email, when })}>
      <p>{t('remove-factors.found')}</p>
      <Posted errorField={undefined}>
        <Submit busy={false}>{t('remove-factors.button')}</Submit>
      </Posted>
      <Aside>{t('remove-factors.not-me')}</Aside>
    </Page>,
  ],
  [
    'remove-factors-done',
    <Page key="done" title="page.remove-factors-done" intro={t('remove-factors-done.text', { when })}>
      <p>{t('remove-factors.found')}</p>
    </Page>,
  ],
  [
    'remove-factors-expired',
    <Page key="expired" title="page.link-expired" intro={t('remove-factors-expired.text')}>
      <PageButton to="sign-in">{t('unlocked.button')}</PageButton>
    </Page>,
  ],
];
