/** The list of the app's end users. The details of a user are in `user-panel.tsx`. */
import { Button } from '@mantine/core';
import { IconFilter, IconMailForward, IconPlus, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { ActionMenu } from '../../components/action-menu.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { useIntent } from '../../components/intent.ts';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { exportUrl, userCountQuery, usersQuery } from './api.ts';
import { BulkBar } from './bulk-bar.tsx';
import { CreateUser } from './create-user.tsx';
import { FilterBar } from './filter-bar.tsx';
import { InvitationSent, InviteUser } from './invite-user.tsx';
import classes from './page.module.css';
import { countFilters, filtersOf, type UsersSearch, withText } from './search.ts';
import { t } from './text.ts';
import { UserPager } from './user-pager.tsx';
import { UserPanel } from './user-panel.tsx';
import { UserTable } from './user-table.tsx';
import { UserTabs } from './user-tabs.tsx';

const route = getRouteApi('/app/users');

export function UsersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const filterCount = countFilters(search);
  const [isFiltering, setFiltering] = useState(filterCount > 0);
  const [adding, setAdding] = useState<'create' | 'invite'>();
  const [invited, setInvited] = useState<string>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  useIntent({
    'create-user': () => setAdding('create'),
    'invite-user': () => setAdding('invite'),
  });
  const barId = useId();
  const { data, error } = useQuery(usersQuery(search));
  const { data: total } = useQuery(userCountQuery(search));
  const filter = (changes: Partial<Record<keyof UsersSearch, string | undefined>>): void => {
    setSelected(new Set());
    void navigate({
      search: (previous) =>
        Object.fromEntries(
          Object.entries({ ...filtersOf(previous), ...changes }).filter(([, value]) => value !== undefined),
        ),
      replace: true,
    });
  };
  const [text, setText] = useDebounced(search.search ?? '', (next) => {
    setSelected(new Set());
    void navigate({ search: (previous) => withText(previous, next), replace: true });
  });
  const open = (id: string | undefined): void =>
    void navigate({ search: ({ id: _open, ...rest }) => (id === undefined ? rest : { ...rest, id }) });
  const add = (what: 'create' | 'invite'): void => {
    setInvited(undefined);
    setAdding(what);
  };
  const stopAdding = (): void => setAdding(undefined);
  const show = ({ id }: { id: string }): void => {
    stopAdding();
    void navigate({ search: { id } });
  };
  const isAll = filterCount === 0 && search.search === undefined;
  const users = data?.users ?? [];
  const at = users.findIndex(({ id }) => id === search.id);

  return (
    <>
      <PageHead title={t('nav.users')}>
        <SearchInput label={t('users.search-any')} value={text} width="toolbar" onChange={setText} />
        <Button
          size="compact-sm"
          variant={filterCount > 0 ? 'light' : 'default'}
          leftSection={<IconFilter size={15} aria-hidden />}
          aria-expanded={isFiltering}
          aria-controls={barId}
          onClick={() => setFiltering(!isFiltering)}
        >
          {filterCount === 0 ? t('users.filters') : t('users.filters-count', { count: filterCount })}
        </Button>
        <ExportMenu search={search} />
        {mayWrite ? (
          <>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconMailForward size={15} aria-hidden />}
              onClick={() => add('invite')}
            >
              {t('users.invite')}
            </Button>
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => add('create')}
            >
              {t('users.create')}
            </Button>
          </>
        ) : null}
      </PageHead>
      <UserTabs />
      {isFiltering ? <FilterBar id={barId} search={search} onChange={filter} /> : null}
      <div className={classes.split}>
        <div className={classes.list}>
          <InvitationSent to={invited} />
          <div className={list.scroll}>
            {error === null ? null : <ProblemBox error={error} />}
            {data === undefined ? (
              error === null ? (
                <SkeletonLines lines={8} />
              ) : null
            ) : users.length === 0 ? (
              <NoUsers
                text={
                  isAll ? 'users.none-text' : filterCount > 0 ? 'users.no-match-filter' : 'users.no-match-any'
                }
                onCreate={mayWrite ? () => add('create') : undefined}
                onClear={() => {
                  setSelected(new Set());
                  void navigate({ search: {}, replace: true });
                }}
              />
            ) : (
              <UserTable
                users={users}
                search={search}
                selection={mayWrite ? { ids: selected, set: setSelected } : undefined}
                onOpen={open}
              />
            )}
          </div>
          {selected.size > 0 ? (
            <BulkBar
              selected={selected}
              isPageSelected={users.length > 0 && users.every(({ id }) => selected.has(id))}
              total={total}
              search={search}
              onClear={() => setSelected(new Set())}
            />
          ) : null}
          {data === undefined ? null : (
            <UserPager
              total={total}
              previous={data.previous}
              next={data.next}
              onPage={(place) =>
                void navigate({ search: (previous) => ({ ...filtersOf(previous), ...place }) })
              }
            />
          )}
        </div>
        {search.id === undefined ? null : (
          <UserPanel
            key={search.id}
            id={search.id}
            previous={users[at - 1]?.id}
            next={at === -1 ? undefined : users[at + 1]?.id}
            onOpen={open}
            onClose={() => open(focusRow(search.id))}
          />
        )}
      </div>
      {adding === 'create' ? <CreateUser onClose={stopAdding} onCreated={show} /> : null}
      {adding === 'invite' ? (
        <InviteUser
          onClose={stopAdding}
          onInvited={(user) => {
            setInvited(user.email);
            show(user);
          }}
        />
      ) : null}
    </>
  );
}

function NoUsers({
  text,
  onCreate,
  onClear,
}: {
  text: 'users.none-text' | 'users.no-match-filter' | 'users.no-match-any';
  onCreate: (() => void) | undefined;
  onClear: () => void;
}) {
  const icon = <IconUsers size={22} stroke={1.75} />;
  if (text === 'users.none-text')
    return (
      <EmptyState icon={icon} title={t('users.none-title')} text={t(text)}>
        {onCreate === undefined ? null : (
          <Button size="sm" onClick={onCreate}>
            {t('users.create')}
          </Button>
        )}
      </EmptyState>
    );
  return (
    <EmptyState icon={icon} title={t('users.no-match-title')} text={t(text)}>
      <Button size="compact-sm" variant="default" onClick={onClear}>
        {t('users.clear')}
      </Button>
    </EmptyState>
  );
}

function ExportMenu({ search }: { search: UsersSearch }) {
  return (
    <ActionMenu
      label={t('users.export')}
      actions={(['csv', 'json'] as const).map((format) => ({
        label: t(`users.export-${format}`),
        icon: null,
        onChoose: () => location.assign(exportUrl(search, format)),
      }))}
    />
  );
}

/**
 * Returns the focus to the user in the list before the details close. A side panel over the list returns the focus
 * itself.
 */
function focusRow(id: string | undefined): undefined {
  document.querySelector<HTMLElement>(`[data-user="${CSS.escape(id ?? '')}"] a`)?.focus();
}
