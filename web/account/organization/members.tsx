/** Lists the members. Members who manage the organization change roles and remove others. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatRelative } from '../../lib/i18n.ts';
import { WithAddresses } from '../addresses.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { changeRows } from '../rest.ts';
import { Badge, Card } from '../security/card.tsx';
import { Meta } from '../security/entry.tsx';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import { canManage, type Member, memberName, roleName } from './data.ts';
import { Done, Question, RoleSelect, useOrganization } from './parts.tsx';

/** The number of members from which the list can be searched. */
const searchFrom = 10;

export function MembersSection() {
  const { organization } = useOrganization();
  const { members } = organization;
  const [done, setDone] = useState<string>();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = members.filter(({ name, email }) =>
    `${name ?? ''} ${email ?? ''}`.toLowerCase().includes(wanted),
  );
  return (
    <Card title={t('members.title')} intro={t('members.count', { count: members.length })}>
      <Done text={done} />
      {members.length < searchFrom ? null : (
        <TextInput
          type="search"
          size="md"
          label={t('members.search')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {shown.length === 0 ? <p className={classes.meta}>{t('members.none')}</p> : null}
      <ul className={classes.list}>
        {shown.map((member) => (
          <MemberEntry key={member.user_id} member={member} onDone={setDone} />
        ))}
      </ul>
    </Card>
  );
}

function MemberEntry({ member, onDone }: { member: Member; onDone: (text: string | undefined) => void }) {
  const { organization, reload } = useOrganization();
  const [mode, setMode] = useState<'role' | 'remove'>();
  const who = memberName(member);
  const row = `/organization_memberships?organization_id=eq.${organization.id}&user_id=eq.${member.user_id}`;
  const role = useSubmit(async (field) => {
    const key = field('role');
    await changeRows(row, { method: 'PATCH', body: { role: key } });
    onDone(t('members.role-changed', { who, role: roleName(organization, key) }));
    setMode(undefined);
    await reload();
    return undefined;
  });
  const remove = useSubmit(async () => {
    await changeRows(row, { method: 'DELETE' });
    onDone(t('members.removed', { who }));
    await reload();
    return undefined;
  });
  const open = (next: 'role' | 'remove'): void => {
    onDone(undefined);
    setMode(next);
  };
  const address = member.name === null ? '' : (member.email ?? '');
  const since = t('members.since', { when: formatRelative(member.joined_at) });
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          <bdi className={classes.long}>
            <WithAddresses text={who} />
          </bdi>
          {member.user_id === organization.self.user_id ? (
            <Badge tone="plain">{t('members.you')}</Badge>
          ) : null}
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <Meta parts={[roleName(organization, member.role), address, since]} />
        </span>
      </span>
      {!canManage(organization, member) ? null : mode === undefined ? (
        <div className={classes.actions}>
          <Button variant="default" aria-label={t('members.role-what', { who })} onClick={() => open('role')}>
            {t('members.role')}
          </Button>
          <Button
            variant="default"
            aria-label={t('members.remove-what', { who })}
            onClick={() => open('remove')}
          >
            {t('members.remove')}
          </Button>
        </div>
      ) : mode === 'role' ? (
        <Question
          label={t('members.role-what', { who })}
          submit={role}
          button={t('organization.save')}
          onCancel={() => setMode(undefined)}
        >
          <RoleSelect id={`role-${member.user_id}`} initial={member.role} isFirst />
        </Question>
      ) : (
        <Question
          label={t('members.remove-what', { who })}
          ask={t('members.remove-ask', { who, organization: organization.name })}
          submit={remove}
          button={t('members.remove')}
          isDangerous
          onCancel={() => setMode(undefined)}
        />
      )}
    </li>
  );
}
