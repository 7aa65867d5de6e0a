/** Lists the statements in PostgreSQL's statistics, with the most expensive statement first. */
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { IconGauge, IconSearchOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDateTime } from '../../../lib/i18n.ts';
import { useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { resetStatistics, type StatementsSearch, statementsQuery } from './api.ts';
import classes from './queries.module.css';
import { StatementPanel } from './statement-panel.tsx';
import { StatementTable } from './statement-table.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/queries/statements');

export function StatementsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(statementsQuery(search));
  const change = (next: StatementsSearch): void =>
    void navigate({ search: (previous) => withoutEmpty({ ...previous, ...next }), replace: true });
  const isFiltered =
    search.search !== undefined || search.role !== undefined || search.services !== undefined;
  return (
    <>
      <div className={classes.bar}>
        <Filters search={search} roles={data?.roles ?? []} onChange={change} />
        <span className={classes.note}>
          {data?.isRedacted ? `${t('queries.redacted')} ` : null}
          {data?.since == null ? null : t('queries.since', { time: formatDateTime(data.since) })}
        </span>
        {data?.isAvailable ? <Reset /> : null}
      </div>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : !data.isAvailable ? (
          <EmptyState
            icon={<IconGauge size={22} stroke={1.75} />}
            title={t('queries.off-title')}
            text={t('queries.off-text')}
          />
        ) : data.statements.length === 0 ? (
          isFiltered ? (
            <EmptyState
              icon={<IconSearchOff size={22} stroke={1.75} />}
              title={t('queries.no-results-title')}
              text={t('queries.no-results-text')}
            />
          ) : (
            <EmptyState
              icon={<IconGauge size={22} stroke={1.75} />}
              title={t('queries.none-title')}
              text={t('queries.none-text')}
            />
          )
        ) : (
          <StatementTable
            statements={data.statements}
            order={search.order ?? 'total'}
            openId={search.id}
            openRole={search.as}
            onOrder={(order) => change({ order })}
            onOpen={({ id, role }) =>
              void navigate({ search: (previous) => ({ ...previous, id, as: role }) })
            }
          />
        )}
      </div>
      {search.id === undefined || search.as === undefined ? null : (
        <StatementPanel
          statement={{ id: search.id, role: search.as }}
          onClose={() => void navigate({ search: ({ id: _id, as: _as, ...rest }) => rest })}
        />
      )}
    </>
  );
}

/** The URL contains only filters that are set. */
const withoutEmpty = (search: StatementsSearch): StatementsSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));

function Filters({
  search: { search = '', role = '', services },
  roles,
  onChange,
}: {
  search: StatementsSearch;
  roles: readonly string[];
  onChange: (next: { [Name in keyof StatementsSearch]?: StatementsSearch[Name] | undefined }) => void;
}) {
  const [text, setText] = useDebounced(search, (next) =>
    onChange({ search: next === '' ? undefined : next }),
  );
  return (
    <div className={classes.filters}>
      <SearchInput label={t('queries.search')} value={text} width="toolbar" onChange={setText} />
      <NativeSelect
        size="xs"
        aria-label={t('queries.role')}
        value={role}
        data={[
          { value: '', label: t('queries.every-role') },
          ...[...new Set([...roles, ...(role === '' ? [] : [role])])].map((name) => ({
            value: name,
            label: name,
          })),
        ]}
        onChange={(event) => onChange({ role: event.currentTarget.value || undefined })}
      />
      <Checkbox
        size="xs"
        label={t('queries.services')}
        checked={services === true}
        onChange={(event) => onChange({ services: event.currentTarget.checked ? true : undefined })}
      />
    </div>
  );
}

function Reset() {
  const mayWrite = useMay('write');
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const reset = useMutation({
    mutationFn: resetStatistics,
    onSuccess: async () => {
      setAsking(false);
      await queryClient.invalidateQueries({ queryKey: ['queries'] });
    },
  });
  if (!mayWrite) return null;
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
        {t('queries.reset')}
      </Button>
      {isAsking ? (
        <Confirm
          title={t('queries.reset-title')}
          action={t('queries.reset')}
          isBusy={reset.isPending}
          error={reset.error}
          onConfirm={() => reset.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{t('queries.reset-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
