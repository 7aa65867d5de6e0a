/**
 * The pages about a user's organizations that work without scripts: the list, and the pages on which users accept
 * invitations. The server repeats the rows (`repeatList` in `src/pages/account/core/html.ts`).
 */
import { Button, Textarea, TextInput } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { mark } from '../methods/mark.tsx';
import classes from '../parts.module.css';
import { Aside, PageButton, PageLink, Submit, SubtleButton, wide } from '../parts.tsx';
import { type ErrorField, email, errorOf, shape } from './fields.tsx';
import { Page, Posted } from './parts.tsx';
import { t } from './text.ts';

const id = '%PLINTH_ROW_ID%';
const name = '%PLINTH_ROW_NAME%';
const role = '%PLINTH_ROW_ROLE%';
const organization = '%PLINTH_ORGANIZATION%';
const ownRole = '%PLINTH_ROLE%';
/** The account with which the visitor is signed in. */
const who = '%PLINTH_WHO%';

/** The results of the forms on the list. */
const results = [
  'created',
  'switched',
  'joined',
  'declined',
  'requested',
  'withdrawn',
  'left',
  'deleted',
] as const;

const Section = (props: { list: string; title: string; children: ReactNode }) => (
  <section data-section={props.list} className={classes.stack} aria-labelledby={`title-${props.list}`}>
    <h2 id={`title-${props.list}`} className={classes.subtitle}>
      {props.title}
    </h2>
    {props.children}
  </section>
);

const RowButton = (props: { action: 'switch' | 'decline' | 'withdraw' | 'join'; label: string }) => (
  <button
    type="submit"
    name={props.action}
    value={id}
    className={classes.link}
    aria-label={`${props.label}: ${name}`}
  >
    {props.label}
  </button>
);

const OrganizationLink = ({ note }: { note: string }) => (
  <Button
    component="a"
    href={`/account/organizations/${id}`}
    variant="default"
    size="md"
    fullWidth
    classNames={wide}
    leftSection={<IconBuilding {...mark} />}
  >
    <span>
      <bdi>{name}</bdi> <span className={classes.note}>{note}</span>
    </span>
  </Button>
);

function Organizations({ errorField, isEmpty }: { errorField?: ErrorField; isEmpty?: boolean }) {
  const isOf = (field: ErrorField) => (errorField === field ? field : undefined);
  const create = (
    <Posted errorField={isOf('name')}>
      <TextInput
        {...shape}
        id="name"
        name="name"
        label={t('organizations.name')}
        autoComplete="organization"
        maxLength={100}
        defaultValue="%PLINTH_TYPED_NAME%"
        error={errorOf('name', errorField)}
      />
      <Submit busy={false}>{t('organizations.create')}</Submit>
    </Posted>
  );
  return (
    <Page title="page.organizations" intro={t('organizations.who', { who: email })}>
      <section data-section="done">
        <div role="status">
          <ul className={classes.accounts} data-list="done">
            {results.map((result) => (
              <li key={result} data-state={result}>
                <Notice tone="success">{t(`organizations.${result}`)}</Notice>
              </li>
            ))}
          </ul>
        </div>
      </section>
      <Posted errorField={isOf('form')}>
        <div className={`${classes.stack} ${classes.lists}`}>
          <Section list="invitations" title={t('organizations.invitations')}>
            <ul className={classes.accounts} data-list="invitations">
              <li data-state="open">
                <span className={classes.entry}>
                  <bdi>{name}</bdi> <span className={classes.note}>{t('organizations.as', { role })}</span>
                  <span className={classes.note}>{t('organizations.open-mail')}</span>
                </span>
                <RowButton action="decline" label={t('invitation.decline')} />
              </li>
            </ul>
          </Section>
          <Section list="available" title={t('organizations.available')}>
            <ul className={classes.accounts} data-list="available">
              {(['join', 'request'] as const).map((policy) => (
                <li key={policy} data-state={policy}>
                  <span className={classes.entry}>
                    <bdi>{name}</bdi>{' '}
                    <span className={classes.note}>
                      {t('organizations.available-why', { domain: '%PLINTH_ROW_DOMAIN%' })}
                    </span>
                  </span>
                  <RowButton action="join" label={t(`organizations.available-${policy}`)} />
                </li>
              ))}
            </ul>
          </Section>
          <Section list="organizations" title={t('organizations.mine')}>
            <ul className={classes.accounts} data-list="organizations">
              <li data-state="current">
                <OrganizationLink note={t('organizations.current', { role })} />
              </li>
              <li data-state="other">
                <OrganizationLink note={role} />
                <RowButton action="switch" label={t('organizations.switch')} />
              </li>
            </ul>
          </Section>
          <Section list="requests" title={t('organizations.requests')}>
            <ul className={classes.accounts} data-list="requests">
              <li data-state="sent">
                <span className={classes.entry}>
                  <bdi>{name}</bdi> <span className={classes.note}>{t('organizations.waiting')}</span>
                </span>
                <RowButton action="withdraw" label={t('organizations.withdraw')} />
              </li>
            </ul>
          </Section>
          <section data-section="app">
            <ul className={classes.accounts} data-list="app">
              <li data-state="app">
                <Button component="a" href="/account/go" size="md" fullWidth classNames={wide}>
                  {t('plain.continue', { host: '%PLINTH_ROW_NAME%' })}
                </Button>
              </li>
            </ul>
          </section>
        </div>
      </Posted>
      {isEmpty === true ? <Aside>{t('organizations.none')}</Aside> : null}
      {isEmpty === true ? (
        create
      ) : (
        <details className={classes.others} {...openIf(errorField === 'name')}>
          <summary className={classes.link}>{t('organizations.create-title')}</summary>
          {create}
        </details>
      )}
      <details className={classes.others} {...openIf(errorField === 'slug')}>
        <summary className={classes.link}>{t('organizations.ask-title')}</summary>
        <Posted errorField={isOf('slug')}>
          <TextInput
            {...shape}
            id="slug"
            name="slug"
            label={t('organizations.slug')}
            description={t('organizations.slug-hint')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={63}
            defaultValue="%PLINTH_TYPED_SLUG%"
            error={errorOf('slug', errorField)}
          />
          <Textarea
            id="message"
            name="message"
            size="md"
            label={t('organizations.message')}
            maxLength={500}
            minRows={2}
          />
          <SubtleButton type="submit">{t('organizations.ask')}</SubtleButton>
        </Posted>
      </details>
      <PageLink to="security">{t('plain.account')}</PageLink>
    </Page>
  );
}

const openIf = (isOpen: boolean) => (isOpen ? { open: true } : {});

const Choice = (props: { value: string; isMain?: boolean; children: ReactNode }) =>
  props.isMain === true ? (
    <Button type="submit" name="do" value={props.value} size="md" fullWidth classNames={wide}>
      {props.children}
    </Button>
  ) : (
    <SubtleButton type="submit" name="do" value={props.value}>
      {props.children}
    </SubtleButton>
  );

const ToList = () => (
  <Button component="a" href="/account/organizations" variant="default" size="md" fullWidth classNames={wide}>
    {t('invitation.to-list')}
  </Button>
);

/** Shown to the recipient, who is signed in. An invitation by link can't be declined. */
const Open = (props: { isLink: boolean; errorField?: ErrorField }) => (
  <Page title="page.invitation-open" intro={t('invitation.text', { organization, role: ownRole })}>
    <Posted errorField={props.errorField}>
      <Aside>
        <WithAddresses text={t('organizations.who', { who })} />
      </Aside>
      <Choice value="accept" isMain>
        {t('invitation.join', { organization })}
      </Choice>
      {props.isLink ? null : <Choice value="decline">{t('invitation.decline')}</Choice>}
      <button type="submit" name="do" value="other" className={classes.link}>
        {t('invitation.other')}
      </button>
    </Posted>
  </Page>
);

const SignedOut = ({ isLink }: { isLink: boolean }) => (
  <Page title="page.invitation-open" intro={t('invitation.text', { organization, role: ownRole })}>
    <Posted errorField={undefined}>
      <Aside>
        {isLink ? t('invitation.sign-in-link') : <WithAddresses text={t('invitation.sign-in', { email })} />}
      </Aside>
      <Choice value="sign-in" isMain>
        {t('sign-in.submit')}
      </Choice>
      <span data-part="signUp">
        <Choice value="sign-up">{t('sign-in.create')}</Choice>
      </span>
    </Posted>
  </Page>
);

const OtherAccount = () => (
  <Page title="page.invitation-other" intro={t('invitation.wrong', { email, who })}>
    <Posted errorField={undefined}>
      <Choice value="other" isMain>
        {t('invitation.other')}
      </Choice>
      <ToList />
    </Posted>
  </Page>
);

const Ended = ({
  state,
  children,
}: {
  state: 'expired' | 'used' | 'none' | 'member';
  children?: ReactNode;
}) => (
  <Page
    title={`page.invitation-${state}`}
    intro={state === 'none' ? t('invitation.none') : t(`invitation.${state}`, { organization })}
  >
    {children}
    <ToList />
  </Page>
);

/** Returns the pages, keyed by file name. */
export const organizationPages = (): [string, ReactElement][] => [
  ['organizations', <Organizations key="list" />],
  ['organizations.empty', <Organizations key="empty" isEmpty />],
  ...(['form', 'name', 'slug'] as const).map((errorField): [string, ReactElement] => [
    `organizations.${errorField}`,
    <Organizations key={errorField} errorField={errorField} />,
  ]),
  ['invitation-open', <Open key="open" isLink={false} />],
  ['invitation-open.form', <Open key="open-form" isLink={false} errorField="form" />],
  ['invitation-open.link', <Open key="link" isLink />],
  ['invitation-open.form-link', <Open key="link-form" isLink errorField="form" />],
  ['invitation-open.signed-out', <SignedOut key="out" isLink={false} />],
  ['invitation-open.signed-out-link', <SignedOut key="out-link" isLink />],
  [
    'organizations-guest',
    <Page key="guest" title="page.organizations" intro={t('organizations.guest')}>
      <PageButton to="upgrade">{t('page.upgrade')}</PageButton>
      <PageButton isSubtle to="sign-in" query="next=organizations">
        {t('sign-in.submit')}
      </PageButton>
    </Page>,
  ],
  ['invitation-other', <OtherAccount key="other" />],
  [
    'invitation-unverified',
    <Page key="unverified" title="page.invitation-unverified" intro={t('invitation.unverified', { email })}>
      <PageLink to="security">{t('plain.account')}</PageLink>
    </Page>,
  ],
  ['invitation-expired', <Ended key="expired" state="expired" />],
  ['invitation-used', <Ended key="used" state="used" />],
  ['invitation-none', <Ended key="none" state="none" />],
  ['invitation-member', <Ended key="member" state="member" />],
];
