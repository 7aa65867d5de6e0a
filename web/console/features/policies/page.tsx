/** The policies page: tables with their policies, and the rows that a persona can read. */
import { Button } from '@mantine/core';
import { IconPlus, IconShieldLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/page.tsx';
import { PersonaPicker, usePersonaName } from '../../components/persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { Tag } from '../../components/tag.tsx';
import { type Policy, policiesQuery, rowsAsQuery, type SecuredTable } from './api.ts';
import { PolicyEditor, useChange } from './editor.tsx';
import { Matrix } from './matrix.tsx';
import classes from './page.module.css';
import type { PolicySearch } from './search.ts';
import { t } from './text.ts';

const route = getRouteApi('/app/policies');

const keyOf = ({ schema, name }: SecuredTable): string => `${schema}.${name}`;

/** Tables of services that no API role can access are hidden, unless the operator searches for their name. */
const isReached = ({ schema, grants, policies }: SecuredTable): boolean =>
  schema === 'public' ||
  policies.length > 0 ||
  grants.some(
    (grant) =>
      grant.role !== 'service_role' && (grant.select || grant.insert || grant.update || grant.delete),
  );

export function PoliciesPage() {
  const { filter = '', view, table: open, policy, isNew, as } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data, error } = useQuery(policiesQuery);
  const tables =
    data?.tables.filter((each) =>
      filter === '' ? isReached(each) : keyOf(each).toLowerCase().includes(filter.toLowerCase()),
    ) ?? [];
  const opened = data?.tables.find((each) => keyOf(each) === open);
  const edited = opened?.policies.find(({ name }) => name === policy);
  const go = (change: Partial<Record<keyof PolicySearch, unknown>>, replace = false): void => {
    void navigate({
      replace,
      search: (previous) =>
        Object.fromEntries(
          Object.entries({ ...previous, ...change }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ) as PolicySearch,
    });
  };
  return (
    <>
      <PageHead title={t('policies.title')}>
        <SearchInput
          label={t('policies.filter')}
          value={filter}
          className={classes.filter}
          // The history entry is replaced, so that the Back button doesn't undo the filter letter by letter.
          onChange={(value) => go({ filter: value }, true)}
        />
        <PersonaPicker as={as} onChange={(next) => go({ as: next })} />
      </PageHead>
      <nav className={classes.views} aria-label={t('policies.views')}>
        <Link
          to="/policies"
          search={(previous) => ({ ...previous, view: 'tables' as const })}
          className={classes.view}
          aria-current={view === 'matrix' ? undefined : 'page'}
        >
          {t('policies.by-table')}
        </Link>
        <Link
          to="/policies"
          search={(previous) => ({ ...previous, view: 'matrix' as const })}
          className={classes.view}
          aria-current={view === 'matrix' ? 'page' : undefined}
        >
          {t('policies.matrix')}
        </Link>
      </nav>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : tables.length === 0 ? (
        <EmptyState
          icon={<IconShieldLock size={22} stroke={1.75} />}
          title={t(filter === '' ? 'policies.none-title' : 'policies.no-match')}
          text={t('policies.none-text')}
        />
      ) : view === 'matrix' ? (
        <Matrix tables={tables} />
      ) : (
        <div className={classes.scroll}>
          {tables.map((table) => (
            <TableSection
              key={keyOf(table)}
              table={table}
              as={as}
              mayWrite={mayWrite}
              onEdit={(name) =>
                go({ table: keyOf(table), policy: name, isNew: name === undefined || undefined })
              }
            />
          ))}
        </div>
      )}
      {opened === undefined || data === undefined || (isNew !== true && edited === undefined) ? null : (
        <PolicyEditor
          key={`${open}${policy}`}
          table={opened}
          policy={isNew === true ? undefined : edited}
          roles={data.roles}
          mayWrite={mayWrite}
          onClose={() => go({ table: undefined, policy: undefined, isNew: undefined })}
        />
      )}
    </>
  );
}

function TableSection({
  table,
  as,
  mayWrite,
  onEdit,
}: {
  table: SecuredTable;
  as: string | undefined;
  mayWrite: boolean;
  onEdit: (name: string | undefined) => void;
}) {
  const { schema, name, rls, forced, policies } = table;
  const [showsRows, setShowsRows] = useState(false);
  const title = schema === 'public' ? name : `${schema}.${name}`;
  return (
    <section className={classes.table} aria-label={title}>
      <div className={classes.head}>
        <h2 className={classes.name}>{title}</h2>
        <Tag tone={rls ? 'success' : 'danger'}>{t(rls ? 'policies.rls-on' : 'policies.rls-off')}</Tag>
        {forced ? <Tag>{t('policies.forced')}</Tag> : null}
        <span className={classes.tools}>
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={showsRows}
            onClick={() => setShowsRows(!showsRows)}
          >
            {t('policies.rows-show')}
          </Button>
          <Link
            to="/why"
            search={{ schema, table: name, ...(as === undefined ? {} : { as }) }}
            className={classes.link}
            aria-label={t('policies.why-of', { table: title })}
          >
            {t('policies.why')}
          </Link>
          {mayWrite ? <Security table={table} title={title} /> : null}
          {mayWrite ? (
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<IconPlus size={13} aria-hidden />}
              aria-label={t('policies.new-on', { table: title })}
              onClick={() => onEdit(undefined)}
            >
              {t('policies.new')}
            </Button>
          ) : null}
        </span>
      </div>
      {rls ? null : <p className={classes.dim}>{t('policies.rls-off-why')}</p>}
      {rls && policies.length === 0 ? <p className={classes.dim}>{t('policies.rls-empty')}</p> : null}
      {policies.length === 0 ? null : (
        <ul className={classes.policies}>
          {policies.map((policy) => (
            <PolicyRow key={policy.name} policy={policy} onEdit={() => onEdit(policy.name)} />
          ))}
        </ul>
      )}
      {showsRows ? <Rows table={table} as={as} /> : null}
    </section>
  );
}

function PolicyRow({ policy, onEdit }: { policy: Policy; onEdit: () => void }) {
  const { name, command, permissive, roles, using, check } = policy;
  return (
    <li className={classes.policy}>
      <button type="button" className={classes.open} onClick={onEdit}>
        {name}
      </button>
      <span className={classes.facts}>
        <Tag>{command}</Tag>
        {permissive ? null : <Tag tone="warning">{t('policies.restrictive')}</Tag>}
        <span className={classes.dim}>{roles.join(', ')}</span>
      </span>
      {using === null ? null : (
        <p className={classes.condition}>
          <span className={classes.dim}>{t('policies.using')}</span> <code>{using}</code>
        </p>
      )}
      {check === null ? null : (
        <p className={classes.condition}>
          <span className={classes.dim}>{t('policies.check')}</span> <code>{check}</code>
        </p>
      )}
    </li>
  );
}

function Security({ table, title }: { table: SecuredTable; title: string }) {
  const [isConfirming, setConfirming] = useState(false);
  const { mutate, isPending, error } = useChange(table, () => setConfirming(false));
  const set = (enabled: boolean): void => mutate({ kind: 'security', enabled, forced: table.forced });
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={isPending}
        onClick={() => (table.rls ? setConfirming(true) : set(true))}
      >
        {t(table.rls ? 'policies.turn-off' : 'policies.turn-on')}
      </Button>
      {isConfirming ? (
        <Confirm
          title={t('policies.turn-off-title', { table: title })}
          action={t('policies.turn-off')}
          isBusy={isPending}
          error={error}
          onConfirm={() => set(false)}
          onClose={() => setConfirming(false)}
        >
          {t('policies.turn-off-text')}
        </Confirm>
      ) : error === null ? null : (
        <ProblemBox error={error} />
      )}
    </>
  );
}

function Rows({ table, as }: { table: SecuredTable; as: string | undefined }) {
  const { data, error } = useQuery(rowsAsQuery(table, as));
  const label = t('policies.rows', { persona: usePersonaName(as) });
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={3} />;
  if (data.rows.length === 0) return <p className={classes.dim}>{`${label}: ${t('policies.rows-none')}`}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.rows} aria-label={`${label}, ${keyOf(table)}`} tabIndex={0}>
      <table>
        <caption className={classes.dim}>{label}</caption>
        <thead>
          <tr>
            {data.columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: all rows are always read together
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position
                <td key={column}>{cell === null ? <em>NULL</em> : cell.slice(0, 80)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
