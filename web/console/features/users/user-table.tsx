/** The list of users. A click anywhere in a row opens the user. Rows can be selected for bulk actions. */
import { Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDateTime } from '../../../lib/i18n.ts';
import { Breakable } from '../../../ui/breakable.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { Tag } from '../../components/tag.tsx';
import type { UserRow } from './api.ts';
import { filtersOf, type Sort, type UsersSearch } from './search.ts';
import { t } from './text.ts';
import { initialsOf, isBanned, isUntilLifted, nameOf } from './user-name.ts';
import classes from './user-table.module.css';

interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly set: (ids: ReadonlySet<string>) => void;
}

export function UserTable({
  users,
  search,
  selection,
  onOpen,
}: {
  users: readonly UserRow[];
  search: UsersSearch;
  /** Undefined if the operator can't change users. */
  selection: Selection | undefined;
  onOpen: (id: string) => void;
}) {
  const selectedHere = users.filter(({ id }) => selection?.ids.has(id)).length;
  const toggleAll = (): void => {
    const ids = new Set(selection?.ids);
    for (const { id } of users) {
      if (selectedHere === users.length) ids.delete(id);
      else ids.add(id);
    }
    selection?.set(ids);
  };
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('nav.users')}</caption>
      <thead>
        <tr>
          {selection === undefined ? null : (
            <th scope="col" className={classes.check}>
              <Checkbox
                size="xs"
                aria-label={t('users.select-page')}
                checked={selectedHere === users.length}
                indeterminate={selectedHere > 0 && selectedHere < users.length}
                onChange={toggleAll}
              />
            </th>
          )}
          <SortHead sort="email" search={search}>
            {t('users.user')}
          </SortHead>
          <th scope="col" className={`${list.wide} ${classes.wide}`}>
            {t('users.ways')}
          </th>
          <SortHead sort="seen" search={search}>
            {t('users.last-seen')}
          </SortHead>
          <SortHead sort="created" search={search} className={`${list.wide} ${classes.wide}`}>
            {t('users.created')}
          </SortHead>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <Row key={user.id} user={user} search={search} selection={selection} onOpen={onOpen} />
        ))}
      </tbody>
    </table>
  );
}

function SortHead({
  sort,
  search,
  className = '',
  children,
}: {
  sort: Sort;
  search: UsersSearch;
  className?: string | undefined;
  children: ReactNode;
}) {
  const isSorted = (search.sort ?? 'created') === sort;
  const order = search.order ?? 'desc';
  // By default, names are sorted from A to Z, and times from newest to oldest.
  const next = isSorted ? (order === 'asc' ? 'desc' : 'asc') : sort === 'email' ? 'asc' : 'desc';
  const Arrow = order === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isSorted ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <Link
        from="/users"
        to="/users"
        search={({ sort: _sort, order: _order, ...filters }) => ({
          ...filtersOf(filters),
          ...(sort === 'created' ? {} : { sort }),
          ...(next === 'desc' ? {} : { order: next }),
        })}
        className={classes.sort}
      >
        {children}
        {isSorted ? <Arrow size={13} aria-hidden /> : null}
      </Link>
    </th>
  );
}

function Row({
  user,
  search,
  selection,
  onOpen,
}: {
  user: UserRow;
  search: UsersSearch;
  selection: Selection | undefined;
  onOpen: (id: string) => void;
}) {
  const isOpen = user.id === search.id;
  const address = nameOf(user);
  const title = user.name ?? address;
  const isSelected = selection?.ids.has(user.id) ?? false;
  return (
    // A click opens the user. Keyboard users can open the user with the link in the row instead.
    <tr
      data-open={isOpen || undefined}
      data-selected={isSelected || undefined}
      data-user={user.id}
      className={classes.row}
      onClick={({ target, detail }) => {
        const isControl = (target as HTMLElement).closest('a, input, label') !== null;
        const isSelectingText = detail > 1 || getSelection()?.isCollapsed === false;
        if (!isControl && !isSelectingText) onOpen(user.id);
      }}
    >
      {selection === undefined ? null : (
        <td className={classes.check}>
          <Checkbox
            size="xs"
            aria-label={t('users.select', { name: address })}
            checked={isSelected}
            onChange={() => {
              const ids = new Set(selection.ids);
              if (isSelected) ids.delete(user.id);
              else ids.add(user.id);
              selection.set(ids);
            }}
          />
        </td>
      )}
      <td>
        <span className={classes.user}>
          <span className={classes.avatar} data-tone={toneOf(user.id)} aria-hidden>
            {user.is_anonymous ? '?' : initialsOf(title)}
          </span>
          <span className={classes.names}>
            <Link
              from="/users"
              to="/users"
              search={(previous) => ({ ...previous, id: user.id })}
              className={list.main}
              {...(isOpen ? { 'aria-current': 'true' as const } : {})}
            >
              <Breakable text={address} />
            </Link>
            <span className={classes.second}>
              {user.name === null ? null : <span className={classes.name}>{user.name}</span>}
              <UserTags user={user} />
            </span>
          </span>
        </span>
      </td>
      <td className={`${list.wide} ${classes.wide} ${list.dim}`}>
        {user.providers.map(providerName).join(', ')}
      </td>
      <td className={list.dim}>
        {user.last_sign_in_at === null ? t('users.never') : <Moment at={user.last_sign_in_at} relative />}
      </td>
      <td className={`${list.wide} ${classes.wide} ${list.dim}`}>
        {user.created_at === null ? null : <Moment at={user.created_at} />}
      </td>
    </tr>
  );
}

/** Returns a provider's name. The ID of an SSO connection isn't meaningful to readers, so it isn't shown. */
export const providerName = (provider: string): string => (provider.startsWith('sso:') ? 'SSO' : provider);

const toneCount = 5;

/** Returns a color index, which never changes for a user. */
const toneOf = (id: string): number => Number.parseInt(id.slice(0, 4), 16) % toneCount;

/** Shows the states of a user that are relevant to operators, as labels. */
function UserTags({ user }: { user: UserRow }) {
  const isConfirmed = Boolean(user.email_confirmed_at || user.phone_confirmed_at);
  return (
    <>
      {user.is_anonymous ? <Tag tone="info">{t('users.guest')}</Tag> : null}
      {user.is_sso_user ? <Tag>{t('users.sso-tag')}</Tag> : null}
      {user.has_factor ? <Tag tone="success">{t('users.factor-tag')}</Tag> : null}
      {!user.is_anonymous && !isConfirmed ? (
        <Tag tone="warning">{t(user.invited_at === null ? 'users.unconfirmed' : 'users.invited')}</Tag>
      ) : null}
      {user.banned_until && isBanned(user.banned_until) ? (
        <Tag tone="danger">
          {isUntilLifted(user.banned_until)
            ? t('users.banned')
            : t('users.banned-until-short', { date: formatDateTime(user.banned_until) })}
        </Tag>
      ) : null}
    </>
  );
}
