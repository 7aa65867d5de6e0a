/** Lists the latest changes of the domains, single sign-on and provisioning, newest first. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { WithAddresses } from '../addresses.tsx';
import { Card } from '../security/card.tsx';
import { Meta } from '../security/entry.tsx';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import { memberName, type Organization, roleName } from './data.ts';
import { useOrganization } from './parts.tsx';
import type { Change } from './sso-data.ts';

/** The number of changes that are shown first. The button shows the others that the server has sent. */
const shownFirst = 6;

export function HistorySection({ changes }: { changes: readonly Change[] }) {
  const { organization } = useOrganization();
  /** The first change that the button has shown. It receives the focus, because the button disappears. */
  const [firstOlder, setFirstOlder] = useState<string>();
  const older = changes[shownFirst];
  const shown = firstOlder === undefined ? changes.slice(0, shownFirst) : changes;
  return (
    <Card title={t('history.title')} intro={t('history.intro')}>
      {changes.length === 0 ? <p className={classes.meta}>{t('history.none')}</p> : null}
      <ul className={classes.list}>
        {shown.map((change) => {
          const key = keyOf(change);
          const props = { change, organization, hasFocus: key === firstOlder };
          return <ChangeEntry key={key} {...props} />;
        })}
      </ul>
      {older === undefined || firstOlder !== undefined ? null : (
        <div className={classes.actions}>
          <Button variant="default" onClick={() => setFirstOlder(keyOf(older))}>
            {t('activity.older')}
          </Button>
        </div>
      )}
    </Card>
  );
}

const keyOf = ({ created_at: at, kind, user_id: id, details }: Change): string =>
  `${at} ${kind} ${id} ${JSON.stringify(details)}`;

const focus = (entry: HTMLElement | null): void => entry?.focus();

function ChangeEntry(props: { change: Change; organization: Organization; hasFocus: boolean }) {
  const { change, organization, hasFocus } = props;
  const { created_at: at } = change;
  return (
    <li className={classes.item} {...(hasFocus ? { ref: focus, tabIndex: -1 } : {})}>
      <span className={classes.what}>
        <span className={classes.name}>
          <span className={classes.long}>
            <WithAddresses text={textOf(change, organization)} />
          </span>
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <Meta parts={[originOf(change, organization), ...factsOf(change, organization)]} />
        </span>
      </span>
      <time className={classes.meta} dateTime={at} title={formatDateTime(at)}>
        {formatRelative(at)}
      </time>
    </li>
  );
}

function personOf({ user_id: id, email }: Change, { members }: Organization): string {
  const member = id === null ? undefined : members.find((each) => each.user_id === id);
  return member === undefined ? (email ?? t('history.former')) : memberName(member);
}

const detail = ({ details }: Change, name: string): string =>
  typeof details[name] === 'string' ? details[name] : '';

/** The kinds whose user is the subject of the text. */
const aboutUsers: ReadonlySet<string> = new Set([
  'member_added',
  'member_removed',
  'role_changed',
  'emergency_sign_in',
]);

/** Returns who or what made the change. Empty if the text names the user. */
function originOf(change: Change, organization: Organization): string {
  const { actor, kind } = change;
  if (actor === 'setup') return t('history.by-setup');
  if (actor === 'scim') return t('history.by-scim');
  // A sign-in adds members and changes their roles. Everything else is done by the daily check.
  if (actor === 'server') return aboutUsers.has(kind) ? t('connection.title') : t('history.by-server');
  return aboutUsers.has(kind) ? '' : personOf(change, organization);
}

function factsOf(change: Change, organization: Organization): readonly string[] {
  const { kind, details } = change;
  if (kind === 'domain_changed') {
    const policy = detail(change, 'join_policy');
    if (policy === 'request') return [t('domains.join-request')];
    if (policy !== 'join') return [t('domains.join-never')];
    return [t('domains.join-join'), roleName(organization, detail(change, 'join_role'))];
  }
  if (kind === 'connection_activated')
    return [detail(change, 'kind') === 'oidc' ? t('setup.oidc') : t('setup.saml')];
  if (kind === 'connection_changed')
    return [
      details.enforced === true ? t('connection.required') : '',
      details.disabled === true ? t('connection.disabled') : '',
    ];
  return [];
}

function textOf(change: Change, organization: Organization): string {
  const domain = detail(change, 'domain');
  const who = personOf(change, organization);
  const role = roleName(organization, detail(change, 'role'));
  switch (change.kind) {
    case 'domain_added':
      return t('history.domain_added', { domain });
    case 'domain_verified':
      return t('history.domain_verified', { domain });
    case 'domain_lost':
      return t('history.domain_lost', { domain });
    case 'domain_removed':
      return t('history.domain_removed', { domain });
    case 'domain_changed':
      return t('history.domain_changed', { domain });
    case 'setup_link_created':
      return t('history.setup_link_created');
    case 'setup_link_revoked':
      return t('history.setup_link_revoked');
    case 'connection_tested':
      return change.details.ok === true ? t('history.connection_tested') : t('history.connection_failed');
    case 'connection_activated':
      return t('history.connection_activated');
    case 'connection_removed':
      return t('history.connection_removed');
    case 'scim_token_created':
      return t('history.scim_token_created');
    case 'scim_token_revoked':
      return t('history.scim_token_revoked');
    case 'member_added':
      return change.actor === 'user'
        ? t('history.member_joined', { who, domain })
        : t('history.member_added', { who, role });
    case 'member_removed':
      return t('history.member_removed', { who });
    case 'role_changed':
      return t('history.role_changed', { who, role });
    case 'emergency_sign_in':
      return t('history.emergency_sign_in', { who });
    default:
      return t('history.connection_changed');
  }
}
