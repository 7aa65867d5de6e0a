/**
 * The page on which an IT administrator, who needs no account, sets up single sign-on and SCIM of an organization. Works
 * without scripts. The server repeats the rows (`src/pages/account/routes/organization-setup.ts`).
 */
import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import classes from '../parts.module.css';
import { Aside, Submit, SubtleButton } from '../parts.tsx';
import type { ErrorField } from './fields.tsx';
import { Page, Posted } from './parts.tsx';
import { t } from './text.ts';

const id = '%PLINTH_ROW_ID%';
const name = '%PLINTH_ROW_NAME%';
const value = '%PLINTH_ROW_VALUE%';
const when = '%PLINTH_ROW_WHEN%';

/** The results of the forms. */
const results = [
  'saved',
  'activated',
  'record-found',
  'record-missing',
  'record-unknown',
  'token-revoked',
] as const;

/** A section that the server removes if its list is empty. */
const Listed = (props: { list: string; children: ReactNode }) => (
  <section data-section={props.list}>
    <ul className={classes.accounts} data-list={props.list}>
      {props.children}
    </ul>
  </section>
);

const Part = (props: { id: string; title: string; hint?: string; children: ReactNode }) => (
  <section className={classes.stack} aria-labelledby={`title-${props.id}`}>
    <h2 id={`title-${props.id}`} className={classes.subtitle}>
      {props.title}
    </h2>
    {props.hint === undefined ? null : <p className={classes.note}>{props.hint}</p>}
    {props.children}
  </section>
);

/** A value to copy. A read-only field selects easily with the mouse and the keyboard. */
const Copied = (props: { label: string; fieldId: string; value: string }) => (
  <TextInput
    id={props.fieldId}
    size="md"
    label={props.label}
    value={props.value}
    readOnly
    dir="ltr"
    onChange={() => {}}
  />
);

const Hidden = ({ action }: { action: string }) => <input type="hidden" name="do" value={action} />;

const field = { size: 'md', autoComplete: 'off', spellCheck: false, dir: 'ltr' } as const;

function Setup({ errorField }: { errorField?: ErrorField }) {
  return (
    <Page
      title="page.setup"
      intro={t('setup.intro', { organization: '%PLINTH_ORGANIZATION%', when: '%PLINTH_UNTIL%' })}
    >
      {errorField === undefined ? null : (
        <div role="alert">
          <Notice tone="danger">
            {t('setup.failed')} <bdi dir="auto">%PLINTH_DETAIL%</bdi>
          </Notice>
        </div>
      )}
      <div role="status">
        <Listed list="done">
          {results.map((result) => (
            <li key={result} data-state={result}>
              <Notice
                tone={result.startsWith('record-') && result !== 'record-found' ? 'warning' : 'success'}
              >
                {t(`setup.${result}`)}
              </Notice>
            </li>
          ))}
        </Listed>
      </div>
      <Part id="domains" title={t('setup.domains')} hint={t('setup.domains-hint')}>
        <Listed list="domains">
          <li data-state="open">
            <Posted errorField={undefined}>
              <span className={classes.entry}>
                <bdi>{name}</bdi>
              </span>
              <Copied
                label={t('setup.record-name')}
                fieldId={`name-${id}`}
                value={`_plinth-challenge.${name}`}
              />
              <Copied label={t('setup.record-value')} fieldId={`value-${id}`} value={value} />
              <Hidden action="check" />
              <input type="hidden" name="id" value={id} />
              <SubtleButton type="submit" aria-label={`${t('setup.check')}: ${name}`}>
                {t('setup.check')}
              </SubtleButton>
            </Posted>
          </li>
          <li data-state="verified">
            <span className={classes.entry}>
              <bdi>{name}</bdi> <span className={classes.note}>{t('setup.verified')}</span>
            </span>
          </li>
          <li data-state="none">
            <Aside>{t('setup.domains-none')}</Aside>
          </li>
        </Listed>
      </Part>
      <Part id="provider" title={t('setup.provider')} hint={t('setup.provider-hint')}>
        <Listed list="provider">
          <li data-state="now">
            <WithAddresses text={t('setup.provider-now', { host: name })} />
          </li>
          <li data-state="draft">
            <WithAddresses text={t('setup.provider-draft', { host: name })} />
          </li>
        </Listed>
        <details className={classes.others}>
          <summary className={classes.link}>{t('setup.saml')}</summary>
          <Posted errorField={undefined}>
            <Copied label={t('setup.acs')} fieldId="acs" value="%PLINTH_ACS%" />
            <Copied label={t('setup.entity')} fieldId="entity" value="%PLINTH_ENTITY%" />
            <Hidden action="save-saml" />
            <TextInput
              {...field}
              id="metadata-url"
              name="metadata_url"
              type="url"
              label={t('setup.metadata-url')}
            />
            <Textarea
              {...field}
              id="metadata-xml"
              name="metadata_xml"
              label={t('setup.metadata-xml')}
              minRows={4}
            />
            <Submit busy={false}>{t('setup.save')}</Submit>
          </Posted>
        </details>
        <details className={classes.others}>
          <summary className={classes.link}>{t('setup.oidc')}</summary>
          <Posted errorField={undefined}>
            <Copied label={t('setup.redirect')} fieldId="redirect" value="%PLINTH_REDIRECT%" />
            <Hidden action="save-oidc" />
            <TextInput {...field} id="issuer" name="issuer" type="url" label={t('setup.issuer')} />
            <TextInput {...field} id="client-id" name="client_id" label={t('setup.client-id')} />
            <PasswordInput
              {...field}
              autoComplete="new-password"
              id="client-secret"
              name="client_secret"
              label={t('setup.client-secret')}
              description={t('setup.client-secret-hint')}
              visible={false}
              withErrorStyles={false}
              visibilityToggleButtonProps={{ style: { display: 'none' } }}
            />
            <Submit busy={false}>{t('setup.save')}</Submit>
          </Posted>
        </details>
      </Part>
      <Part id="test" title={t('setup.test')} hint={t('setup.test-hint')}>
        <Listed list="result">
          <li data-state="ok">
            <Notice tone="success">
              <WithAddresses text={t('setup.test-ok', { email: name })} />
            </Notice>
          </li>
          <li data-state="rejected">
            <Notice tone="danger">
              {t('setup.test-rejected')} <bdi dir="auto">{value}</bdi>
            </Notice>
          </li>
          <li data-state="no-email">
            <Notice tone="danger">{t('setup.test-no-email')}</Notice>
          </li>
          <li data-state="other-domain">
            <Notice tone="danger">
              <WithAddresses text={t('setup.test-other-domain', { email: name })} />
            </Notice>
          </li>
        </Listed>
        <section data-section="sent">
          <details className={classes.others}>
            <summary className={classes.link}>{t('setup.test-sent')}</summary>
            <ul className={classes.accounts} data-list="sent">
              <li data-state="attribute">
                <span className={classes.entry}>
                  <bdi>{name}</bdi>{' '}
                  <span className={classes.note}>
                    <bdi>{value}</bdi>
                  </span>
                </span>
              </li>
            </ul>
          </details>
        </section>
        <Listed list="test">
          <li data-state="first">
            <Aside>{t('setup.test-first')}</Aside>
          </li>
          <li data-state="start">
            <Posted errorField={undefined}>
              <Hidden action="test" />
              <SubtleButton type="submit">{t('setup.test-start')}</SubtleButton>
            </Posted>
          </li>
          <li data-state="activate">
            <Posted errorField={undefined}>
              <p>{t('setup.activate-hint')}</p>
              <Hidden action="activate" />
              <Submit busy={false}>{t('setup.activate')}</Submit>
            </Posted>
          </li>
        </Listed>
      </Part>
      <Part id="scim" title={t('setup.scim')} hint={t('setup.scim-hint')}>
        <Copied label={t('setup.scim-url')} fieldId="scim" value="%PLINTH_SCIM%" />
        <Listed list="token">
          <li data-state="new">
            <Copied label={t('setup.scim-new')} fieldId="token" value={value} />
          </li>
        </Listed>
        <Listed list="tokens">
          <li data-state="token">
            <Posted errorField={undefined}>
              <span className={classes.entry}>{t('setup.scim-token', { when })}</span>
              <Hidden action="revoke-token" />
              <input type="hidden" name="id" value={id} />
              <button
                type="submit"
                className={classes.link}
                aria-label={`${t('setup.scim-revoke')}: ${t('setup.scim-token', { when })}`}
              >
                {t('setup.scim-revoke')}
              </button>
            </Posted>
          </li>
        </Listed>
        <Posted errorField={undefined}>
          <Hidden action="create-token" />
          <SubtleButton type="submit">{t('setup.scim-create')}</SubtleButton>
        </Posted>
      </Part>
    </Page>
  );
}

/** Returns the pages, keyed by file name. */
export const setupPages = (): [string, ReactElement][] => [
  ['setup', <Setup key="setup" />],
  ['setup.form', <Setup key="form" errorField="form" />],
  ['setup-gone', <Page key="gone" title="page.setup-gone" intro={t('setup.gone')} />],
];
