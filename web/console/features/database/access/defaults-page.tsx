/** The default privileges, which new objects get when a role creates them. */
import { ActionIcon, Button, Checkbox, NativeSelect } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { PageHead } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import type { SchemaChange } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import parts from '../parts.module.css';
import {
  type DefaultObjects,
  type DefaultPrivilegesRow,
  defaultPrivilegesQuery,
  type Privilege,
} from './api.ts';
import { roleTitle } from './grant-table.tsx';
import classes from './grants.module.css';
import { privilegesOf } from './plan.ts';
import { t } from './text.ts';

/** A row of the list: what one role gets on one kind of new objects. */
interface Entry {
  readonly owner: string;
  readonly schema: string | null;
  readonly objects: DefaultObjects;
  readonly role: string;
  readonly privileges: readonly Privilege[];
  readonly editable: boolean;
}

const objectNames: readonly DefaultObjects[] = ['tables', 'sequences', 'functions', 'types', 'schemas'];

const possible = (objects: DefaultObjects): readonly Privilege[] => {
  if (objects === 'types') return ['usage'];
  const kinds = { tables: 'table', sequences: 'sequence', functions: 'function', schemas: 'schema' } as const;
  return privilegesOf(kinds[objects], false);
};

export function DefaultPrivilegesPage() {
  const { data, error } = useQuery(defaultPrivilegesQuery);
  const [open, setOpen] = useState<Entry>();
  const mayWrite = useMay('write');
  const entries = (data?.rows ?? []).flatMap(entriesOf);
  return (
    <>
      <PageHead title={t('defaults.title')}>
        {mayWrite ? (
          <Button
            size="compact-sm"
            onClick={() =>
              setOpen({
                owner: 'postgres',
                schema: 'public',
                objects: 'tables',
                role: 'anon',
                privileges: [],
                editable: true,
              })
            }
          >
            {t('defaults.change')}
          </Button>
        ) : null}
      </PageHead>
      <div className={list.scroll}>
        <p className={list.none}>{t('defaults.why')}</p>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : (
          <EntryTable entries={entries} onOpen={mayWrite ? setOpen : undefined} />
        )}
      </div>
      {open === undefined || data === undefined ? null : (
        <DefaultsPanel entry={open} entries={entries} choices={data} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

const entriesOf = ({ grants, ...row }: DefaultPrivilegesRow): Entry[] =>
  grants.map(({ role, privileges }) => ({ ...row, role, privileges }));

function EntryTable({
  entries,
  onOpen,
}: {
  entries: readonly Entry[];
  onOpen: ((entry: Entry) => void) | undefined;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('defaults.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('defaults.objects')}</th>
          <th scope="col">{t('defaults.role')}</th>
          <th scope="col" className={list.wide}>
            {t('defaults.privileges')}
          </th>
          {onOpen === undefined ? null : (
            <th scope="col" className={list.actions}>
              <span className="visually-hidden">{t('access.actions')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => {
          const { owner, schema, objects, role, privileges, editable } = entry;
          const name = t(`defaults.${objects}`);
          const what = schema === null ? name : t('defaults.what', { objects: name, schema });
          return (
            <tr key={JSON.stringify([owner, schema, objects, role])}>
              <td>
                <span className={list.main}>{what}</span>
                <span className={parts.sub}>{t('defaults.by', { owner })}</span>
              </td>
              <td>
                {roleTitle(role)}
                <span className={`${parts.sub} ${classes.small}`}>{shown(privileges, objects)}</span>
              </td>
              <td className={`${list.wide} ${list.dim}`}>{shown(privileges, objects)}</td>
              {onOpen === undefined ? null : (
                <td className={list.actions}>
                  {editable ? (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('defaults.edit', { what, role: roleTitle(role) })}
                      onClick={() => onOpen(entry)}
                    >
                      <IconPencil size={15} aria-hidden />
                    </ActionIcon>
                  ) : null}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function shown(privileges: readonly Privilege[], objects: DefaultObjects): string {
  if (possible(objects).every((each) => privileges.includes(each)) && privileges.length > 1)
    return t('grants.all');
  return privileges.map((each) => t(`privilege.${each}`)).join(', ');
}

function DefaultsPanel({
  entry,
  entries,
  choices,
  onClose,
}: {
  entry: Entry;
  entries: readonly Entry[];
  choices: {
    readonly owners: readonly string[];
    readonly schemas: readonly string[];
    readonly roles: readonly string[];
  };
  onClose: () => void;
}) {
  const [place, setPlace] = useState<Omit<Entry, 'privileges' | 'editable'>>(entry);
  const before =
    entries.find(
      (each) =>
        each.owner === place.owner &&
        each.schema === place.schema &&
        each.objects === place.objects &&
        each.role === place.role,
    )?.privileges ?? [];
  // The choice belongs to the place, so another place begins with its present privileges.
  const [chosen, setChosen] = useState<{ readonly at: string; readonly privileges: readonly Privilege[] }>();
  const at = JSON.stringify(place);
  const privileges = chosen?.at === at ? chosen.privileges : before;
  const { owner, schema, objects, role } = place;
  const change = (action: 'grant' | 'revoke', list: readonly Privilege[]): SchemaChange[] =>
    list.length === 0
      ? []
      : [
          {
            kind: 'default_privileges',
            action,
            owner,
            ...(schema === null || objects === 'schemas' ? {} : { schema }),
            objects,
            privileges: list,
            role,
          },
        ];
  return (
    <ChangePanel
      title={t('defaults.change')}
      changes={[
        ...change(
          'revoke',
          before.filter((each) => !privileges.includes(each)),
        ),
        ...change(
          'grant',
          privileges.filter((each) => !before.includes(each)),
        ),
      ]}
      onClose={onClose}
    >
      <SearchSelect
        label={t('defaults.owner')}
        description={t('defaults.owner-why')}
        value={owner}
        data={choices.owners}
        onChange={(next) => setPlace({ ...place, owner: next })}
      />
      <NativeSelect
        size="sm"
        label={t('defaults.objects')}
        value={objects}
        data={objectNames.map((value) => ({ value, label: t(`defaults.${value}`) }))}
        onChange={({ currentTarget: { value } }) => {
          const next = objectNames.find((each) => each === value);
          if (next !== undefined) setPlace({ ...place, objects: next });
        }}
      />
      {objects === 'schemas' ? null : (
        <SearchSelect
          label={t('defaults.schema')}
          value={schema ?? ''}
          data={[{ value: '', label: t('defaults.every-schema') }, ...choices.schemas]}
          onChange={(next) => setPlace({ ...place, schema: next === '' ? null : next })}
        />
      )}
      <SearchSelect
        label={t('defaults.role')}
        value={role}
        data={[{ value: 'public', label: t('grants.public') }, ...choices.roles]}
        onChange={(next) => setPlace({ ...place, role: next })}
      />
      <fieldset className={classes.privileges}>
        <legend>{t('defaults.privileges')}</legend>
        {possible(objects).map((privilege) => (
          <Checkbox
            key={privilege}
            label={t(`privilege.${privilege}`)}
            checked={privileges.includes(privilege)}
            onChange={(event) =>
              setChosen({
                at,
                privileges: event.currentTarget.checked
                  ? [...privileges, privilege]
                  : privileges.filter((each) => each !== privilege),
              })
            }
          />
        ))}
      </fieldset>
    </ChangePanel>
  );
}
