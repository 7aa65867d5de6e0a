/** Lists the database's roles, and creates, changes and drops them. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { PageHead } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import parts from '../parts.module.css';
import { type RoleRow, rolesQuery } from './api.ts';
import { NewRole, RolePanel } from './role-panel.tsx';
import { connections, RoleTags } from './role-parts.tsx';
import type { RolesSearch } from './search.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/database/roles');

export function RolesPage() {
  const { data, error } = useQuery(rolesQuery);
  const { filter = '', open } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const mayWrite = useMay('write');
  const go = (next: RolesSearch, replace = false): void => void navigate({ search: next, replace });
  const kept = filter === '' ? {} : { filter };
  const found = (data ?? []).filter((role) => matches(role, filter));
  const opened = data?.find(({ name }) => name === open);
  return (
    <>
      <PageHead title={t('roles.title')}>
        <div className={list.tools}>
          <SearchInput
            label={t('roles.search')}
            value={filter}
            onChange={(value) => go(value === '' ? {} : { filter: value }, true)}
            width="toolbar"
            autoComplete="off"
          />
          {mayWrite ? (
            <Button size="compact-sm" onClick={() => setCreating(true)}>
              {t('roles.new')}
            </Button>
          ) : null}
        </div>
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : found.length === 0 ? (
          <p className={list.none}>{t('access.no-results')}</p>
        ) : (
          <RoleTable roles={found} open={open} onOpen={(name) => go({ ...kept, open: name })} />
        )}
      </div>
      {opened === undefined || data === undefined ? null : (
        <RolePanel key={opened.name} role={opened} roles={data} onClose={() => go(kept)} />
      )}
      {isCreating ? <NewRole onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function matches({ name, comment }: RoleRow, search: string): boolean {
  const text = `${name} ${comment ?? ''}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function RoleTable({
  roles,
  open,
  onOpen,
}: {
  roles: readonly RoleRow[];
  open: string | undefined;
  onOpen: (name: string) => void;
}) {
  // The project's roles come first, because operators change only them.
  const sorted = roles.toSorted((left, right) => Number(left.system) - Number(right.system));
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('roles.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('roles.role')}</th>
          <th scope="col">{t('roles.attributes')}</th>
          <th scope="col" className={list.wide}>
            {t('roles.member-of')}
          </th>
          <th scope="col" className={list.wide}>
            {t('roles.connections')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((role) => (
          <tr key={role.name} data-open={role.name === open || undefined}>
            <td>
              <button
                type="button"
                className={`${parts.open} ${list.main}`}
                onClick={() => onOpen(role.name)}
              >
                {role.name}
              </button>
              {role.comment === null ? null : <span className={parts.sub}>{role.comment}</span>}
            </td>
            <td>
              <span className={parts.tags}>
                <RoleTags role={role} />
              </span>
            </td>
            <td className={`${list.wide} ${list.dim}`} title={role.memberOf.join(', ')}>
              {role.memberOf.length === 0 ? '—' : role.memberOf.join(', ')}
            </td>
            <td className={`${list.wide} ${list.dim}`}>{connections(role)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
