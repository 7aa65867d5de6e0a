/** A role with its attributes and memberships, and the form for a new role. */
import { ActionIcon, Button, Checkbox, NumberInput } from '@mantine/core';
import '@mantine/core/styles/NumberInput.layer.css';
import { IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import type { SchemaChange } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { NameInput } from '../../tables/schema/name-input.tsx';
import parts from '../parts.module.css';
import type { RoleRow } from './api.ts';
import classes from './grants.module.css';
import { connections, RoleTags } from './role-parts.tsx';
import { t } from './text.ts';

const flags = ['login', 'inherit', 'bypassrls', 'createdb', 'createrole'] as const;
type Attributes = Readonly<Record<(typeof flags)[number], boolean>> & { readonly connectionLimit: number };

type Mode =
  | { readonly kind: 'view' | 'edit' | 'join' | 'add' | 'drop' }
  | { readonly kind: 'leave'; readonly change: SchemaChange };

export function RolePanel({
  role,
  roles,
  onClose,
}: {
  role: RoleRow;
  roles: readonly RoleRow[];
  onClose: () => void;
}) {
  const [mode, setMode] = useState<Mode>({ kind: 'view' });
  const back = (): void => setMode({ kind: 'view' });
  switch (mode.kind) {
    case 'edit':
      return <EditRole role={role} onClose={back} />;
    case 'join':
    case 'add':
      return <Membership role={role} roles={roles} isMember={mode.kind === 'join'} onClose={back} />;
    case 'leave':
      return (
        <ChangePanel title={t('roles.leave-title')} changes={[mode.change]} startsWithReview onClose={back} />
      );
    case 'drop':
      return (
        <ChangePanel
          title={t('roles.drop')}
          changes={[{ kind: 'drop_role', role: role.name }]}
          startsWithReview
          onClose={back}
          onDone={onClose}
        />
      );
    default:
      return (
        <SidePanel title={role.name} onClose={onClose} wide>
          <Detail role={role} onMode={setMode} />
        </SidePanel>
      );
  }
}

function Detail({ role, onMode }: { role: RoleRow; onMode: (mode: Mode) => void }) {
  const mayWrite = useMay('write');
  const mayChange = mayWrite && role.editable && !role.system;
  return (
    <div className={parts.panel}>
      <span className={parts.tags}>
        <RoleTags role={role} />
      </span>
      {role.comment === null ? null : <p>{role.comment}</p>}
      {role.system ? <p className={parts.dim}>{t('roles.system-why')}</p> : null}
      <Facts>
        <Fact label={t('roles.inherit')}>{t(role.inherit ? 'roles.yes' : 'roles.no')}</Fact>
        <Fact label={t('roles.connections')}>{connections(role)}</Fact>
      </Facts>
      <Link to="/database/grants" search={{ role: role.name }}>
        {t('roles.grants-link')}
      </Link>
      <Members
        title={t('roles.member-of')}
        why={t('roles.member-of-why', { role: role.name })}
        names={role.memberOf}
        changeOf={mayWrite ? (name) => ({ kind: 'revoke_role', role: name, member: role.name }) : undefined}
        add="roles.join"
        onMode={onMode}
        onAdd={mayWrite ? () => onMode({ kind: 'join' }) : undefined}
      />
      <Members
        title={t('roles.members')}
        why={t('roles.members-why', { role: role.name })}
        names={role.members}
        changeOf={
          mayWrite && role.editable
            ? (name) => ({ kind: 'revoke_role', role: role.name, member: name })
            : undefined
        }
        add="roles.add"
        onMode={onMode}
        onAdd={mayWrite && role.editable ? () => onMode({ kind: 'add' }) : undefined}
      />
      {mayChange ? (
        <div className={parts.tools}>
          <Button size="compact-sm" variant="default" onClick={() => onMode({ kind: 'edit' })}>
            {t('roles.edit')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onMode({ kind: 'drop' })}>
            {t('roles.drop')}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function Members({
  title,
  why,
  names,
  changeOf,
  add,
  onMode,
  onAdd,
}: {
  title: string;
  why: string;
  names: readonly string[];
  /** Returns the change that ends a membership. Undefined if memberships can't be changed. */
  changeOf: ((name: string) => SchemaChange) | undefined;
  /** The label of the button. */
  add: 'roles.join' | 'roles.add';
  onMode: (mode: Mode) => void;
  onAdd: (() => void) | undefined;
}) {
  return (
    <section className={parts.section} aria-label={title}>
      <h3 className={parts.title}>{title}</h3>
      <p className={parts.dim}>{why}</p>
      {names.length === 0 ? (
        <p className={parts.dim}>{t('roles.none')}</p>
      ) : (
        <ul className={parts.items}>
          {names.map((name) => (
            <li key={name} className={classes.member}>
              <span className={parts.name}>{name}</span>
              {changeOf === undefined ? null : (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('roles.end', { name })}
                  onClick={() => onMode({ kind: 'leave', change: changeOf(name) })}
                >
                  <IconX size={15} aria-hidden />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {onAdd === undefined ? null : (
        <div>
          <Button size="compact-sm" variant="default" onClick={onAdd}>
            {t(add)}
          </Button>
        </div>
      )}
    </section>
  );
}

function Membership({
  role,
  roles,
  isMember,
  onClose,
}: {
  role: RoleRow;
  roles: readonly RoleRow[];
  /** Whether the role becomes a member of the chosen role, or the other way around. */
  isMember: boolean;
  onClose: () => void;
}) {
  const known = isMember ? role.memberOf : role.members;
  const names = roles.map(({ name }) => name).filter((name) => name !== role.name && !known.includes(name));
  const [chosen, setChosen] = useState('');
  const change: SchemaChange = isMember
    ? { kind: 'grant_role', role: chosen, member: role.name }
    : { kind: 'grant_role', role: role.name, member: chosen };
  return (
    <ChangePanel
      title={t(isMember ? 'roles.join-title' : 'roles.add-title', { role: role.name })}
      changes={chosen === '' ? undefined : [change]}
      onClose={onClose}
    >
      <SearchSelect
        label={t('roles.role')}
        value={chosen}
        data={[{ value: '', label: t('roles.choose') }, ...names]}
        onChange={setChosen}
        isFocused
      />
    </ChangePanel>
  );
}

function EditRole({ role, onClose }: { role: RoleRow; onClose: () => void }) {
  const [attributes, setAttributes] = useState<Attributes>(role);
  const changed = {
    ...Object.fromEntries(
      flags.filter((flag) => attributes[flag] !== role[flag]).map((flag) => [flag, attributes[flag]]),
    ),
    ...(attributes.connectionLimit === role.connectionLimit
      ? {}
      : { connectionLimit: attributes.connectionLimit }),
  };
  return (
    <ChangePanel
      title={t('roles.edit-title', { role: role.name })}
      changes={
        Object.keys(changed).length === 0
          ? undefined
          : [{ kind: 'alter_role', role: role.name, attributes: changed }]
      }
      onClose={onClose}
    >
      <AttributeFields attributes={attributes} onChange={setAttributes} />
    </ChangePanel>
  );
}

export function NewRole({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [isForRequests, setForRequests] = useState(false);
  const [attributes, setAttributes] = useState<Attributes>({
    login: false,
    inherit: true,
    bypassrls: false,
    createdb: false,
    createrole: false,
    connectionLimit: -1,
  });
  const { connectionLimit, ...rest } = attributes;
  const set = Object.fromEntries(
    flags.filter((flag) => rest[flag] !== (flag === 'inherit')).map((flag) => [flag, rest[flag]]),
  );
  const changes: SchemaChange[] = [
    {
      kind: 'create_role',
      role: name,
      attributes: { ...set, ...(connectionLimit < 0 ? {} : { connectionLimit }) },
    },
    ...(isForRequests ? [{ kind: 'grant_role' as const, role: name, member: 'authenticator' }] : []),
  ];
  return (
    <ChangePanel title={t('roles.new')} changes={name === '' ? undefined : changes} onClose={onClose}>
      <NameInput label={t('roles.name')} value={name} onChange={setName} />
      <Checkbox
        label={t('roles.for-requests')}
        description={t('roles.for-requests-why')}
        checked={isForRequests}
        onChange={(event) => setForRequests(event.currentTarget.checked)}
      />
      <AttributeFields attributes={attributes} onChange={setAttributes} />
    </ChangePanel>
  );
}

function AttributeFields({
  attributes,
  onChange,
}: {
  attributes: Attributes;
  onChange: (attributes: Attributes) => void;
}) {
  return (
    <>
      {flags.map((flag) => (
        <Checkbox
          key={flag}
          label={t(`roles.${flag}`)}
          description={t(`roles.${flag}-why`)}
          checked={attributes[flag]}
          onChange={(event) => onChange({ ...attributes, [flag]: event.currentTarget.checked })}
        />
      ))}
      {attributes.login ? (
        <NumberInput
          size="sm"
          label={t('roles.limit')}
          description={t('roles.limit-why')}
          value={attributes.connectionLimit < 0 ? '' : attributes.connectionLimit}
          min={0}
          max={10_000}
          allowDecimal={false}
          onChange={(value) =>
            onChange({ ...attributes, connectionLimit: typeof value === 'number' ? value : -1 })
          }
        />
      ) : null}
    </>
  );
}
