/** The table of the privilege matrix. Each cell is a button that opens the privileges of a role on an object. */
import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Tag } from '../../../components/tag.tsx';
import { type GrantedObject, grantColumnsQuery, type Privilege, type RoleRow } from './api.ts';
import { type Cell, cellOf, keyOf, titleOf } from './cells.ts';
import classes from './grants.module.css';
import { columnPrivileges, privilegesOf } from './plan.ts';
import { t } from './text.ts';

interface TableProps {
  readonly roles: ReadonlyMap<string, RoleRow>;
  /** The roles of the table's columns. */
  readonly columns: readonly string[];
  readonly hasMaintain: boolean;
  readonly onOpen: (object: GrantedObject, role: string) => void;
}

export const roleTitle = (role: string): string => (role === 'public' ? t('grants.public') : role);

export function GrantTable({
  objects,
  ...props
}: TableProps & { readonly objects: readonly GrantedObject[] }) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  function toggle(key: string): void {
    const next = new Set(unfolded);
    if (!next.delete(key)) next.add(key);
    setUnfolded(next);
  }
  return (
    <table className={classes.table}>
      <caption className="visually-hidden">{t('grants.caption')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('grants.object')}</th>
          {props.columns.map((role) => (
            <th key={role} scope="col">
              {roleTitle(role)}
            </th>
          ))}
        </tr>
      </thead>
      {objects.map((object) => (
        <ObjectRows
          key={keyOf(object)}
          object={object}
          isUnfolded={unfolded.has(keyOf(object))}
          onToggle={() => toggle(keyOf(object))}
          {...props}
        />
      ))}
    </table>
  );
}

const hasColumns = ({ target }: GrantedObject): boolean => target.type === 'table';

function ObjectRows({
  object,
  isUnfolded,
  onToggle,
  ...props
}: TableProps & {
  readonly object: GrantedObject;
  readonly isUnfolded: boolean;
  readonly onToggle: () => void;
}) {
  const { roles, columns, hasMaintain, onOpen } = props;
  const possible = privilegesOf(object.kind, hasMaintain);
  const title = titleOf(object);
  return (
    <tbody>
      <tr>
        <th scope="row">
          <span className={classes.name}>
            {hasColumns(object) ? (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-expanded={isUnfolded}
                aria-label={t('grants.columns-of', { name: title })}
                onClick={onToggle}
              >
                {isUnfolded ? (
                  <IconChevronDown size={14} aria-hidden />
                ) : (
                  <IconChevronRight size={14} aria-hidden />
                )}
              </ActionIcon>
            ) : null}
            <span>
              <span className={classes.title}>{title}</span> <Marks object={object} />
            </span>
          </span>
        </th>
        {columns.map((role) => {
          const cell = cellOf(object, role, roles);
          return (
            <td key={role}>
              <button
                type="button"
                className={classes.cell}
                data-kind={kindOf(cell, possible)}
                onClick={() => onOpen(object, role)}
              >
                <span aria-hidden>{textOf(cell, possible)}</span>
                <span className="visually-hidden">{spoken({ role, title, cell })}</span>
              </button>
            </td>
          );
        })}
      </tr>
      {isUnfolded ? <ColumnRows object={object} {...props} /> : null}
    </tbody>
  );
}

function Marks({ object: { kind, rls, definer, editable } }: { object: GrantedObject }) {
  return (
    <>
      {kind === 'table' || kind === 'function' || kind === 'schema' || kind === 'sequence' ? null : (
        <Tag>{t(`grants.mark-${kind}`)}</Tag>
      )}
      {rls === false ? (
        <Tag tone="warning" title={t('grants.no-rls-why')}>
          {t('grants.no-rls')}
        </Tag>
      ) : null}
      {definer ? (
        <Tag tone="warning" title={t('grants.definer-why')}>
          {t('grants.definer')}
        </Tag>
      ) : null}
      {editable ? null : <Tag title={t('grants.fixed-why')}>{t('grants.fixed')}</Tag>}
    </>
  );
}

function ColumnRows({ object, columns, onOpen }: TableProps & { readonly object: GrantedObject }) {
  const { data } = useQuery(grantColumnsQuery(object));
  if (data === undefined)
    return (
      <tr>
        <th scope="row">{t('grants.loading')}</th>
        <td colSpan={columns.length} />
      </tr>
    );
  return data.map(({ name, type, grants }) => (
    <tr key={name} className={classes.column}>
      <th scope="row">
        {name} <span className={classes.type}>{type}</span>
      </th>
      {columns.map((role) => {
        const onTable = object.grants.find((grant) => grant.role === role)?.privileges ?? [];
        const own = grants.find((grant) => grant.role === role)?.privileges ?? [];
        const only = own.filter((privilege) => !onTable.includes(privilege));
        const whole = onTable.filter((privilege) => columnPrivileges.includes(privilege));
        const all = columnPrivileges.filter((each) => whole.includes(each) || only.includes(each));
        return (
          <td key={role}>
            <button
              type="button"
              className={classes.cell}
              data-kind={only.length > 0 ? 'some' : whole.length > 0 ? 'inherited' : 'none'}
              onClick={() => onOpen(object, role)}
            >
              <span aria-hidden>{all.length === 0 ? '—' : short(all)}</span>
              <span className="visually-hidden">
                {t('grants.spoken', { role: roleTitle(role), name: `${titleOf(object)}.${name}` })}{' '}
                {all.length === 0
                  ? t('grants.nothing')
                  : all.map((each) => t(`privilege.${each}`)).join(', ')}
              </span>
            </button>
          </td>
        );
      })}
    </tr>
  ));
}

/** A star marks the privileges that the role can grant to others, as in psql. */
const short = (privileges: readonly Privilege[], grantable: readonly Privilege[] = []): string =>
  privileges
    .map((each) => {
      const name = t(privileges.length === 1 ? `privilege.${each}` : `privilege.short-${each}`);
      return grantable.includes(each) ? `${name}*` : name;
    })
    .join(' ');

function textOf(
  { direct, grantable, inherited, columns, isOwner }: Cell,
  possible: readonly Privilege[],
): string {
  const held = possible.filter((each) => direct.includes(each));
  const parts: string[] = [];
  if (held.length > 0)
    parts.push(
      held.length === possible.length && held.length > 1 && grantable.length === 0
        ? t('grants.all')
        : short(held, grantable),
    );
  else if (isOwner) parts.push(t('grants.owner'));
  if (columns.length > 0) parts.push(t('grants.on-columns', { list: short([...new Set(columns)]) }));
  if (parts.length === 0 && inherited.length > 0)
    parts.push(short(possible.filter((each) => inherited.some(({ privilege }) => privilege === each))));
  return parts.length === 0 ? '—' : parts.join(' + ');
}

function kindOf({ direct, inherited, columns, isOwner }: Cell, possible: readonly Privilege[]) {
  if (isOwner) return 'owner';
  if (direct.length > 0) return direct.length >= possible.length ? 'all' : 'some';
  if (columns.length > 0) return 'some';
  return inherited.length > 0 ? 'inherited' : 'none';
}

function spoken({ role, title, cell }: { role: string; title: string; cell: Cell }): string {
  const { direct, grantable, inherited, columns, isOwner } = cell;
  const parts = [
    ...direct.map((each) =>
      grantable.includes(each)
        ? t('grants.with-option', { privilege: t(`privilege.${each}`) })
        : t(`privilege.${each}`),
    ),
    ...columns.map((each) => t('grants.on-columns', { list: t(`privilege.${each}`) })),
    ...inherited.map(({ privilege, from }) =>
      t('grants.through', { privilege: t(`privilege.${privilege}`), role: roleTitle(from) }),
    ),
    ...(isOwner ? [t('grants.owner')] : []),
  ];
  return `${t('grants.spoken', { role: roleTitle(role), name: title })} ${
    parts.length === 0 ? t('grants.nothing') : parts.join(', ')
  }`;
}
