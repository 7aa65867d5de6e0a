/** Shows the identity provider of an organization, and lets owners create setup links and change its rules. */
import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useId, useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { formatDateTime } from '../../lib/i18n.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Form, FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { Badge, Card } from '../security/card.tsx';
import { useFresh } from '../security/fresh.tsx';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import { ownerRole, roleName } from './data.ts';
import { Done, Question, useOrganization } from './parts.tsx';
import { type Connection, callSso, type SetupLink, type Sso } from './sso-data.ts';

const groupsId = 'organization-groups';

export function ConnectionSection({ sso, reload }: { sso: Sso; reload: () => Promise<void> }) {
  const { organization } = useOrganization();
  const { id, isOwner } = organization;
  const { connection, links } = sso;
  const [done, setDone] = useState<string>();
  const [url, setUrl] = useState<string>();
  const fresh = useFresh();
  const submit = useSubmit(async () => undefined);
  const isActive = connection?.is_active === true;
  const state = !isActive
    ? 'off'
    : connection.is_disabled
      ? 'disabled'
      : connection.is_enforced
        ? 'required'
        : 'on';
  const run = (work: () => Promise<string | undefined>): void =>
    void submit.run(undefined, async () => {
      setDone(undefined);
      setUrl(undefined);
      const text = await work();
      await reload();
      setDone(text);
      return undefined;
    });
  return (
    <Card
      title={t('connection.title')}
      badge={
        <Badge tone={state === 'on' || state === 'required' ? 'good' : 'plain'}>
          {t(`connection.${state}`)}
        </Badge>
      }
      intro={
        isActive
          ? t('connection.intro-active', { host: connection.settings?.host ?? '' })
          : t('connection.intro-none')
      }
    >
      <Done text={done} />
      <ErrorSummary problems={submit.problems} />
      {isOwner ? (
        <>
          <div role="status">
            {url === undefined ? null : (
              <Notice tone="warning">
                <p>{t('connection.link-new')}</p>
                <Copyable value={url} what={t('connection.link-label')} />
                <p>{t('connection.link-warning')}</p>
              </Notice>
            )}
          </div>
          <Links
            links={links}
            busy={submit.busy}
            onRevoke={(link) =>
              run(async () => {
                await callSso(id, `/setup-links/${link.id}`, 'DELETE');
                return t('connection.link-revoked');
              })
            }
          />
          <div className={classes.actions}>
            <Button
              variant="default"
              loading={submit.busy}
              onClick={() =>
                fresh(() =>
                  run(async () => {
                    const made = await callSso<{ url: string }>(id, '/setup-links', 'POST');
                    setUrl(made.url);
                    return undefined;
                  }),
                )
              }
            >
              {t('connection.link-create')}
            </Button>
          </div>
          {isActive ? <Rules connection={connection} reload={reload} onDone={setDone} /> : null}
        </>
      ) : (
        <p className={classes.meta}>{t('connection.owner')}</p>
      )}
    </Card>
  );
}

function Links(props: { links: readonly SetupLink[]; busy: boolean; onRevoke: (link: SetupLink) => void }) {
  return (
    <ul className={classes.list}>
      {props.links.map((link) => {
        const when = formatDateTime(link.expires_at);
        return (
          <li key={link.id} className={classes.item}>
            <span className={classes.what}>{t('connection.link-open', { when })}</span>
            <div className={classes.actions}>
              <Button
                variant="default"
                disabled={props.busy}
                aria-label={`${t('setup.scim-revoke')}: ${t('connection.link-open', { when })}`}
                onClick={() => props.onRevoke(link)}
              >
                {t('setup.scim-revoke')}
              </Button>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

const textOfRules = ({ group_roles: rules }: Connection): string =>
  rules.map(({ group, role }) => `${group} = ${role}`).join('\n');

/** Parses one rule per line. Returns undefined if a line has another form. */
function rulesIn(text: string): { group: string; role: string }[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rules = lines.map((line) => /^(.+)=\s*([a-z][a-z0-9_]*)\s*$/.exec(line.trim()));
  return rules.every((rule) => rule !== null)
    ? rules.map(([, group = '', role = '']) => ({ group: group.trim(), role }))
    : undefined;
}

/** A checkbox with a label. */
function Choice(props: { name: string; label: string; hint?: string; isOn: boolean }) {
  const hintId = useId();
  return (
    <div>
      <label>
        <input
          type="checkbox"
          name={props.name}
          defaultChecked={props.isOn}
          {...(props.hint === undefined ? {} : { 'aria-describedby': hintId })}
        />{' '}
        {props.label}
      </label>
      {props.hint === undefined ? null : (
        <p id={hintId} className={classes.meta}>
          {props.hint}
        </p>
      )}
    </div>
  );
}

function Rules(props: {
  connection: Connection;
  reload: () => Promise<void>;
  onDone: (text: string | undefined) => void;
}) {
  const { organization } = useOrganization();
  const { id, roles } = organization;
  const { connection, reload, onDone } = props;
  const [isRemoving, setIsRemoving] = useState(false);
  const fresh = useFresh();
  const submit = useSubmit(
    async (field) => {
      onDone(undefined);
      const groupRoles = rulesIn(field(groupsId));
      if (groupRoles === undefined) return [{ text: t('connection.groups-wrong'), fieldId: groupsId }];
      try {
        await callSso(id, '/sso', 'PATCH', {
          enforced: field('enforced') === 'on',
          adds_members: field('adds') === 'on',
          default_role: field('role'),
          group_roles: groupRoles,
        });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'conflict')
          return [{ text: t('connection.lockout') }];
        throw error;
      }
      await reload();
      onDone(t('connection.saved'));
      return undefined;
    },
    { validation_failed: groupsId },
  );
  const change = (json: object | undefined, text: string): void =>
    void submit.run(undefined, async () => {
      await callSso(id, '/sso', json === undefined ? 'DELETE' : 'PATCH', json);
      await reload();
      onDone(text);
      return undefined;
    });
  if (isRemoving) {
    return (
      <Question
        label={t('connection.remove')}
        ask={t('connection.remove-ask')}
        submit={{
          ...submit,
          onSubmit(event) {
            event.preventDefault();
            change(undefined, t('connection.removed'));
          },
        }}
        button={t('connection.remove')}
        isDangerous
        onCancel={() => setIsRemoving(false)}
      />
    );
  }
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('connection.title')}>
      <Choice
        name="enforced"
        label={t('connection.require')}
        hint={t('connection.require-hint')}
        isOn={connection.is_enforced}
      />
      <Choice name="adds" label={t('connection.adds')} isOn={connection.adds_members} />
      <NativeSelect
        id="connection-role"
        name="role"
        size="md"
        label={t('connection.role')}
        defaultValue={connection.default_role}
        data={roles
          .filter(({ key }) => key !== ownerRole)
          .map(({ key }) => ({ value: key, label: roleName(organization, key) }))}
      />
      <Textarea
        id={groupsId}
        name={groupsId}
        size="md"
        label={t('connection.groups')}
        description={t('connection.groups-hint')}
        defaultValue={textOfRules(connection)}
        error={submit.errorAt(groupsId)}
        minRows={3}
        spellCheck={false}
      />
      <div className={classes.actions}>
        <FormButton loading={submit.busy}>{t('organization.save')}</FormButton>
        <Button
          variant="default"
          onClick={() =>
            connection.is_disabled
              ? change({ disabled: false }, t('connection.resumed'))
              : change({ disabled: true }, t('connection.paused'))
          }
        >
          {connection.is_disabled ? t('connection.resume') : t('connection.pause')}
        </Button>
        <Button
          variant="default"
          classNames={{ root: classes.danger }}
          onClick={() => fresh(() => setIsRemoving(true))}
        >
          {t('connection.remove')}
        </Button>
      </div>
    </Form>
  );
}
