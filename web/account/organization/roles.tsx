/** Lists the roles, and adds and deletes the organization's own roles. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { digitsOf } from '../form/fields.ts';
import { useSubmit } from '../form/use-submit.ts';
import { changeRows } from '../rest.ts';
import { Card } from '../security/card.tsx';
import { Meta } from '../security/entry.tsx';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import { managingRank, type Role, roleName } from './data.ts';
import { Done, Question, useOrganization } from './parts.tsx';

const nameId = 'new-role-name';
const rankId = 'new-role-rank';
/** The highest rank of a role that an organization adds. */
const maxOwnRank = 99;

export function RolesSection() {
  const { organization } = useOrganization();
  const [done, setDone] = useState<string>();
  const [isAdding, setAdding] = useState(false);
  return (
    <Card title={t('roles.title')} intro={t('roles.intro')}>
      <Done text={done} />
      <ul className={classes.list}>
        {organization.roles.map((role) => (
          <RoleEntry key={role.key} role={role} onDone={setDone} />
        ))}
      </ul>
      {isAdding ? (
        <AddRole
          onClose={(name) => {
            setAdding(false);
            if (name !== undefined) setDone(t('roles.added', { role: name }));
          }}
        />
      ) : (
        <div className={classes.actions}>
          <Button
            variant="default"
            onClick={() => {
              setDone(undefined);
              setAdding(true);
            }}
          >
            {t('roles.add')}
          </Button>
        </div>
      )}
    </Card>
  );
}

function RoleEntry({ role, onDone }: { role: Role; onDone: (text: string | undefined) => void }) {
  const { organization, reload } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  const name = roleName(organization, role.key);
  const remove = useSubmit(async () => {
    const row = `/organization_roles?organization_id=eq.${organization.id}&key=eq.${role.key}`;
    await changeRows(row, { method: 'DELETE' });
    onDone(t('roles.removed', { role: name }));
    await reload();
    return undefined;
  });
  const isOwn = !role.built_in && role.rank <= organization.rank;
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          <bdi className={classes.long}>{name}</bdi>
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <Meta
            parts={[
              t('roles.rank', { rank: role.rank }),
              role.rank >= managingRank ? t('roles.manages') : '',
            ]}
          />
        </span>
      </span>
      {!isOwn ? null : isAsking ? (
        <Question
          label={t('roles.remove-what', { role: name })}
          ask={t('roles.remove-ask', { role: name })}
          submit={remove}
          button={t('roles.remove')}
          isDangerous
          onCancel={() => setAsking(false)}
        />
      ) : (
        <Button
          variant="default"
          aria-label={t('roles.remove-what', { role: name })}
          onClick={() => {
            onDone(undefined);
            setAsking(true);
          }}
        >
          {t('roles.remove')}
        </Button>
      )}
    </li>
  );
}

function AddRole({ onClose }: { onClose: (name?: string) => void }) {
  const { organization, reload } = useOrganization();
  const max = Math.min(maxOwnRank, organization.rank);
  const submit = useSubmit(
    async (field) => {
      const name = field(nameId).trim();
      if (name === '') return [{ text: t('roles.name-missing'), fieldId: nameId }];
      const rank = Number(digitsOf(field(rankId), 3));
      if (rank < 1 || rank > max) return [{ text: t('roles.rank-wrong', { max }), fieldId: rankId }];
      await changeRows('/organization_roles', {
        method: 'POST',
        body: { organization_id: organization.id, key: keyOf(name), name, rank },
      });
      await reload();
      onClose(name);
      return undefined;
    },
    { role_taken: nameId },
  );
  return (
    <Question label={t('roles.add')} submit={submit} button={t('roles.add')} onCancel={() => onClose()}>
      <TextInput
        id={nameId}
        name={nameId}
        size="md"
        label={t('roles.name')}
        maxLength={100}
        autoComplete="off"
        required
        withAsterisk={false}
        error={submit.errorAt(nameId)}
        data-autofocus
      />
      <TextInput
        id={rankId}
        name={rankId}
        size="md"
        label={t('roles.rank-field')}
        description={t('roles.rank-hint', { max })}
        inputMode="numeric"
        maxLength={3}
        autoComplete="off"
        defaultValue="20"
        required
        withAsterisk={false}
        error={submit.errorAt(rankId)}
      />
    </Question>
  );
}

/** Returns the key of a role, by which policies identify the role. A name in another script has a random key. */
function keyOf(name: string): string {
  const key = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 50);
  return key === '' ? `role_${crypto.randomUUID().slice(0, 8)}` : key;
}
