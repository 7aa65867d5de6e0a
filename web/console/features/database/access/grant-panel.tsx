/** The privileges of a role on an object and its columns, which can be changed by checking boxes. */
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { useMay } from '../../../api/session.ts';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { type GrantedObject, grantColumnsQuery, type Privilege, type RoleRow } from './api.ts';
import { type Cell, cellOf, titleOf } from './cells.ts';
import { roleTitle } from './grant-table.tsx';
import classes from './grants.module.css';
import { columnPrivileges, type Held, privilegeChanges, privilegesOf } from './plan.ts';
import { t } from './text.ts';

interface PanelProps {
  readonly object: GrantedObject;
  readonly role: string;
  readonly roles: ReadonlyMap<string, RoleRow>;
  readonly hasMaintain: boolean;
  /** Shows the privileges of another role. */
  readonly onRole: (role: string) => void;
  readonly onClose: () => void;
}

type Column = { readonly name: string; readonly type: string };

export function GrantPanel(props: PanelProps) {
  const { object, role } = props;
  const isTable = object.target.type === 'table';
  const { data, error } = useQuery({ ...grantColumnsQuery(object), enabled: isTable });
  const columns = isTable ? data : [];
  if (columns === undefined)
    return (
      <SidePanel title={panelTitle(object)} onClose={props.onClose} wide>
        {error === null ? <SkeletonLines lines={8} /> : <ProblemBox error={error} />}
      </SidePanel>
    );
  const before: Held = {
    object: new Set(object.grants.find((grant) => grant.role === role)?.privileges ?? []),
    grantable: new Set(object.grants.find((grant) => grant.role === role)?.grantable ?? []),
    columns: new Map(
      columns.map(({ name, grants }) => [
        name,
        new Set(grants.find((grant) => grant.role === role)?.privileges ?? []),
      ]),
    ),
  };
  return <GrantForm {...props} columns={columns} before={before} />;
}

const panelTitle = (object: GrantedObject): string => t('grants.panel', { name: titleOf(object) });

function GrantForm({
  object,
  role,
  roles,
  hasMaintain,
  columns,
  before,
  onRole,
  onClose,
}: PanelProps & { readonly columns: readonly Column[]; readonly before: Held }) {
  const [held, setHeld] = useState(before);
  const mayChange = useMay('write') && object.editable;
  const cell = cellOf(object, role, roles);
  const fields = (
    <>
      <SearchSelect
        label={t('grants.role')}
        value={role}
        data={['public', ...roles.keys()].map((name) => ({ value: name, label: roleTitle(name) }))}
        onChange={onRole}
      />
      <Notes object={object} role={role} cell={cell} known={roles.get(role)} />
      <ObjectPrivileges
        possible={privilegesOf(object.kind, hasMaintain)}
        cell={cell}
        held={held}
        isFixed={!mayChange}
        // Every role has the privileges of PUBLIC, which can't grant any.
        hasOption={role !== 'public'}
        onChange={setHeld}
      />
      {columns.length === 0 ? null : (
        <ColumnPrivileges columns={columns} held={held} isFixed={!mayChange} onChange={setHeld} />
      )}
    </>
  );
  if (!mayChange)
    return (
      <SidePanel title={panelTitle(object)} onClose={onClose} wide>
        <div className={classes.form}>{fields}</div>
      </SidePanel>
    );
  return (
    <ChangePanel
      title={panelTitle(object)}
      changes={privilegeChanges({ target: object.target, role, before, after: held })}
      onClose={onClose}
    >
      {fields}
    </ChangePanel>
  );
}

function Notes({
  object,
  role,
  cell,
  known,
}: {
  object: GrantedObject;
  role: string;
  cell: Cell;
  known: RoleRow | undefined;
}) {
  const notes: ReactNode[] = [];
  if (cell.isOwner) notes.push(t('grants.owner-why', { role: roleTitle(role), owner: object.owner }));
  if (known?.bypassrls === true && object.rls !== null) notes.push(t('grants.bypass-why', { role }));
  if (object.rls === false) notes.push(t('grants.no-rls-why'));
  if (object.definer) notes.push(t('grants.definer-why'));
  if (!object.editable) notes.push(t('grants.fixed-owner', { owner: object.owner }));
  if (notes.length === 0) return null;
  return (
    <Notice tone="info">
      {notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the notes don't change while they are shown
        <p key={index}>{note}</p>
      ))}
    </Notice>
  );
}

interface FieldsProps {
  readonly held: Held;
  readonly isFixed: boolean;
  readonly onChange: (held: Held) => void;
}

function ObjectPrivileges({
  possible,
  cell,
  held,
  isFixed,
  hasOption,
  onChange,
}: FieldsProps & {
  readonly possible: readonly Privilege[];
  readonly cell: Cell;
  /** Whether the role can have the right to grant the privileges. */
  readonly hasOption: boolean;
}) {
  function set(privilege: Privilege, isHeld: boolean): void {
    const object = new Set(held.object);
    if (isHeld) object.add(privilege);
    else object.delete(privilege);
    const grantable = new Set(held.grantable);
    if (!isHeld) grantable.delete(privilege);
    onChange({ ...held, object, grantable });
  }
  function setOption(privilege: Privilege, isGrantable: boolean): void {
    const grantable = new Set(held.grantable);
    if (isGrantable) grantable.add(privilege);
    else grantable.delete(privilege);
    onChange({ ...held, grantable });
  }
  return (
    <fieldset className={classes.privileges}>
      <legend>{t('grants.privileges')}</legend>
      {possible.map((privilege) => {
        const from = cell.inherited.find((each) => each.privilege === privilege)?.from;
        return (
          <div key={privilege} className={classes.privilege}>
            <Checkbox
              label={t(`privilege.${privilege}`)}
              description={from === undefined ? undefined : t('grants.also', { role: roleTitle(from) })}
              checked={held.object.has(privilege)}
              disabled={isFixed}
              onChange={(event) => set(privilege, event.currentTarget.checked)}
            />
            {hasOption && held.object.has(privilege) ? (
              <Checkbox
                size="xs"
                className={classes.option}
                label={t('grants.option')}
                aria-label={t('grants.option-of', { privilege: t(`privilege.${privilege}`) })}
                checked={held.grantable.has(privilege)}
                disabled={isFixed}
                onChange={(event) => setOption(privilege, event.currentTarget.checked)}
              />
            ) : null}
          </div>
        );
      })}
    </fieldset>
  );
}

function ColumnPrivileges({
  columns,
  held,
  isFixed,
  onChange,
}: FieldsProps & { readonly columns: readonly Column[] }) {
  function set(column: string, privilege: Privilege, isHeld: boolean): void {
    const own = new Set(held.columns.get(column));
    if (isHeld) own.add(privilege);
    else own.delete(privilege);
    onChange({ ...held, columns: new Map(held.columns).set(column, own) });
  }
  return (
    <div>
      <h3 className={classes.heading}>{t('grants.columns')}</h3>
      <p className={classes.note}>{t('grants.columns-why')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className={classes.columnScroll} aria-label={t('grants.columns')} tabIndex={0}>
        <table className={classes.columnTable}>
          <thead>
            <tr>
              <th scope="col">{t('grants.column')}</th>
              {columnPrivileges.map((privilege) => (
                <th key={privilege} scope="col">
                  {t(`privilege.${privilege}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, type }) => (
              <tr key={name}>
                <th scope="row">
                  {name} <span className={classes.type}>{type}</span>
                </th>
                {columnPrivileges.map((privilege) => {
                  const isWhole = held.object.has(privilege);
                  return (
                    <td key={privilege}>
                      <Checkbox
                        size="xs"
                        aria-label={t('grants.on-column', {
                          privilege: t(`privilege.${privilege}`),
                          column: name,
                        })}
                        checked={isWhole || held.columns.get(name)?.has(privilege) === true}
                        disabled={isFixed || isWhole}
                        onChange={(event) => set(name, privilege, event.currentTarget.checked)}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
