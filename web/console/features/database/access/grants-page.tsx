/** The matrix of privileges: objects by role, with the columns of a table on request. */
import { NativeSelect } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { Pager } from '../../../components/pager.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import { listed, perPage } from '../list-search.ts';
import { type ChangeSearch, ListHead, merged } from '../list-tools.tsx';
import { type GrantedObject, grantsQuery, type RoleRow } from './api.ts';
import { keyOf, titleOf } from './cells.ts';
import { GrantPanel } from './grant-panel.tsx';
import { GrantTable } from './grant-table.tsx';
import classes from './grants.module.css';
import { type GrantsSearch, type ObjectKinds, objectKinds } from './search.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/database/grants');

const kindsOf: Readonly<Record<ObjectKinds, readonly GrantedObject['kind'][]>> = {
  relations: ['table', 'view', 'materialized view', 'foreign table'],
  functions: ['function', 'procedure'],
  sequences: ['sequence'],
  schemas: ['schema'],
};

export function GrantsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(grantsQuery);
  const { kind = 'relations', role, open, of } = search;
  const objects = data?.objects ?? [];
  const { found, shown, schemas } = listed(
    objects.filter((each) => kindsOf[kind].includes(each.kind)),
    search,
    (each) => `${titleOf(each)} ${each.owner}`,
  );
  const roles = useMemo(() => new Map((data?.roles ?? []).map((each) => [each.name, each])), [data?.roles]);
  const change = (next: { [Name in keyof GrantsSearch]?: GrantsSearch[Name] | undefined }): void =>
    void navigate({ search: (previous) => merged(previous, next), replace: !('open' in next) });
  const opened = open === undefined ? undefined : objects.find((each) => keyOf(each) === open);
  return (
    <>
      <ListHead
        title={t('grants.title')}
        searchLabel={t('grants.search')}
        search={search}
        schemas={schemas}
        onChange={change as ChangeSearch}
      />
      <div className={classes.filters}>
        <NativeSelect
          size="xs"
          aria-label={t('grants.kind')}
          value={kind}
          data={objectKinds.map((value) => ({ value, label: t(`grants.kind-${value}`) }))}
          onChange={({ currentTarget: { value } }) =>
            change({
              kind: objectKinds.find(
                (each) => each === value && value !== 'relations',
              ) as GrantsSearch['kind'],
            })
          }
        />
        <SearchSelect
          size="xs"
          label={t('grants.roles')}
          isLabelHidden
          value={role ?? ''}
          data={[
            { value: '', label: t('grants.roles-usual') },
            { value: '*', label: t('grants.roles-all') },
            { value: 'public', label: t('grants.public') },
            ...[...roles.keys()].map((name) => ({ value: name, label: name })),
          ]}
          onChange={(value) => change({ role: value === '' ? undefined : value })}
        />
        <Link to="/database/default-privileges" className={classes.link}>
          {t('grants.defaults-link')}
        </Link>
        <p className={classes.legend}>{t(`grants.legend-${kind}`)}</p>
      </div>
      <div className={classes.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : found.length === 0 ? (
          <EmptyState
            icon={<IconKey size={22} stroke={1.75} />}
            title={t(search.filter === undefined ? 'grants.none-title' : 'access.no-results')}
            text={t(search.filter === undefined ? 'grants.none-text' : 'access.no-results-text')}
          />
        ) : (
          <GrantTable
            objects={shown}
            roles={roles}
            columns={shownRoles(data.roles, role)}
            hasMaintain={data.hasMaintain}
            onOpen={(object, opened) => change({ open: keyOf(object), of: opened })}
          />
        )}
      </div>
      {found.length <= perPage ? null : (
        <Pager
          page={search.page ?? 1}
          perPage={perPage}
          total={found.length}
          onPage={(page) => void navigate({ search: (previous) => ({ ...previous, page }) })}
        />
      )}
      {opened === undefined || data === undefined ? null : (
        <GrantPanel
          key={`${open} ${of}`}
          object={opened}
          role={of ?? 'public'}
          roles={roles}
          hasMaintain={data.hasMaintain}
          onRole={(next) => change({ open, of: next })}
          onClose={() => change({ open: undefined, of: undefined })}
        />
      )}
    </>
  );
}

/** Roles of services are rarely changed, so they are shown only on request. */
function shownRoles(roles: readonly RoleRow[], chosen: string | undefined): string[] {
  const names = roles.map(({ name }) => name);
  if (chosen === '*') return ['public', ...names];
  if (chosen !== undefined) return [chosen];
  const usual = ['anon', 'authenticated', 'service_role'].filter((name) => names.includes(name));
  return ['public', ...usual, ...roles.filter(({ system }) => !system).map(({ name }) => name)];
}
