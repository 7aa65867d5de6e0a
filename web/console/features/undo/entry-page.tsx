/** Shows the rows of a change with their old, new and current values, and takes them back. */
import { Anchor, Button, Checkbox } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import { type JournalDetail, type JournalRow, undoEntryQuery } from './api.ts';
import { EntryTag } from './page.tsx';
import { actionText, t } from './text.ts';
import classes from './undo.module.css';

const route = getRouteApi('/app/undo/$id');

export function UndoEntryPage() {
  const { id } = route.useParams();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    undoEntryQuery(id),
  );
  const entry = data?.pages[0];
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      <PageHead
        title={t('undo.entry-title', { id })}
        back={
          <Anchor component={Link} to="/undo" size="sm">
            {t('undo.back')}
          </Anchor>
        }
      />
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        {entry === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : (
          <>
            <Summary entry={entry} />
            {entry.total === 0 ? null : (
              <ChangedRows key={id} entry={entry} rows={rows}>
                <LoadMore
                  label={t('undo.more-rows')}
                  hasMore={hasNextPage}
                  isBusy={isFetchingNextPage}
                  onMore={() => void fetchNextPage()}
                />
              </ChangedRows>
            )}
          </>
        )}
      </Cards>
    </>
  );
}

const EntryLink = ({ id }: { id: number }) => (
  <Anchor component={Link} to="/undo/$id" params={{ id: String(id) } as never} inherit>
    {t('undo.entry-title', { id })}
  </Anchor>
);

function Summary({ entry }: { entry: JournalDetail }) {
  return (
    <Card title={actionText(entry.action)} tools={<EntryTag entry={entry} />}>
      <Facts layout="columns">
        <Fact label={t('undo.when')}>
          <Moment at={entry.at} />
        </Fact>
        <Fact label={t('undo.operator')}>{entry.operator}</Fact>
        {entry.undoes === null ? null : (
          <Fact label={t('undo.reverts')}>
            <EntryLink id={entry.undoes} />
          </Fact>
        )}
        {entry.undoneBy.length === 0 ? null : (
          <Fact label={t('undo.reverted-by')}>
            {entry.undoneBy.map((each) => (
              <span key={each}>
                <EntryLink id={each} />{' '}
              </span>
            ))}
          </Fact>
        )}
      </Facts>
      <ul className={classes.reasons} aria-label={t('undo.tables')}>
        {entry.tables.map(({ schema, name, rows, reason }) => (
          <li key={`${schema}.${name}`}>
            {t('undo.rows', { table: `${schema}.${name}`, count: rows })}
            {reason === null ? null : <p>{t(`undo.reason-${reason}`)}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const isConflict = ({ state }: JournalRow): boolean => state !== 'ready' && state !== 'done';
/** Whether the operator can select the row. */
const canUndo = ({ state }: JournalRow): boolean => state !== 'done' && state !== 'no-table';

function ChangedRows({
  entry,
  rows,
  children,
}: {
  entry: JournalDetail;
  rows: readonly JournalRow[];
  children: React.ReactNode;
}) {
  const client = useQueryClient();
  const canWrite = useMay('write');
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const picked = rows.filter((row) => chosen.has(row.number) && canUndo(row));
  const conflicts = picked.filter(isConflict);
  const isAll = picked.length === 0;
  const { mutate, isPending, error, reset, data } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /undo/:id', {
        params: { id: String(entry.id) },
        body: isAll
          ? {}
          : { rows: picked.map(({ number }) => number), anyway: conflicts.map(({ number }) => number) },
      }),
    onSuccess: async () => {
      setAsking(false);
      setChosen(new Set());
      await client.invalidateQueries();
    },
  });
  const toggle = (number: number): void =>
    setChosen((all) => {
      const next = new Set(all);
      if (!next.delete(number)) next.add(number);
      return next;
    });
  const isOpen = rows.some(canUndo) || rows.length < entry.total;
  return (
    <Card
      title={t('undo.row-list')}
      text={t('undo.rows-text')}
      flush
      tools={
        canWrite && isOpen ? (
          <Button size="compact-sm" onClick={() => setAsking(true)}>
            {isAll ? t('undo.do-all') : t('undo.do-some', { count: picked.length })}
          </Button>
        ) : null
      }
    >
      <div role="status">
        {data === undefined ? null : (
          <p className={classes.intro}>
            {t('undo.result', { undone: data.undone, conflicts: data.conflicts })}{' '}
            {data.entry === null ? null : (
              <Anchor component={Link} to="/undo/$id" params={{ id: String(data.entry) } as never} inherit>
                {t('undo.result-link')}
              </Anchor>
            )}
          </p>
        )}
      </div>
      <ul className={classes.rows}>
        {rows.map((row) => (
          <RowItem
            key={row.number}
            entry={entry}
            row={row}
            isChosen={chosen.has(row.number)}
            onToggle={canWrite && canUndo(row) ? () => toggle(row.number) : undefined}
          />
        ))}
      </ul>
      {children}
      {isAsking ? (
        <Confirm
          title={t('undo.confirm-title', { count: isAll ? entry.total : picked.length })}
          action={t('undo.confirm-action')}
          isBusy={isPending}
          isMild
          error={error}
          onConfirm={() => mutate()}
          onClose={() => {
            setAsking(false);
            reset();
          }}
        >
          <p>{t('undo.confirm-text')}</p>
          {isAll ? <p>{t('undo.confirm-skip')}</p> : null}
          {conflicts.length > 0 ? <p>{t('undo.confirm-anyway', { count: conflicts.length })}</p> : null}
        </Confirm>
      ) : null}
    </Card>
  );
}

const kindOf = ({ before, after }: JournalRow): 'insert' | 'update' | 'delete' =>
  before === null ? 'insert' : after === null ? 'delete' : 'update';

function toneOf(row: JournalRow): TagTone {
  if (row.state === 'done') return 'success';
  return isConflict(row) ? 'warning' : 'plain';
}

function RowItem({
  entry,
  row,
  isChosen,
  onToggle,
}: {
  entry: JournalDetail;
  row: JournalRow;
  isChosen: boolean;
  onToggle: (() => void) | undefined;
}) {
  const table = entry.tables[row.table];
  const { columns = [], key = [], current = [] } = entry.details[row.table] ?? {};
  const values = row.after ?? row.before ?? [];
  const names = key.map((name) => `${name} = ${values[columns.indexOf(name)] ?? ''}`).join(', ');
  const name = `${table?.schema}.${table?.name} ${names}`.trim();
  return (
    <li className={classes.row}>
      <div className={classes.rowHead}>
        {onToggle === undefined ? null : (
          <Checkbox
            size="xs"
            aria-label={t('undo.pick', { row: name })}
            checked={isChosen}
            onChange={onToggle}
          />
        )}
        <code>{name}</code>
        <Tag>{t(`undo.kind-${kindOf(row)}`)}</Tag>
        <Tag tone={toneOf(row)}>{t(`undo.state-${row.state}`)}</Tag>
      </div>
      <ValueTable row={row} columns={columns} current={current} name={name} />
    </li>
  );
}

function ValueTable({
  row: { before, after, now, state },
  columns,
  current,
  name,
}: {
  row: JournalRow;
  columns: readonly string[];
  current: readonly string[];
  name: string;
}) {
  const showsNow = state === 'changed' || state === 'exists';
  const nowOf = (column: string): string | null | undefined => {
    const index = current.indexOf(column);
    return now === null || index < 0 ? undefined : (now[index] ?? null);
  };
  const shown = columns
    .map((column, index) => ({
      column,
      before: before === null ? undefined : (before[index] ?? null),
      after: after === null ? undefined : (after[index] ?? null),
      now: nowOf(column),
    }))
    .filter((value) => value.before !== value.after || (showsNow && value.now !== value.after));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable with the keyboard
    <section className={classes.values} tabIndex={0} aria-label={t('undo.values', { row: name })}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('undo.column')}</th>
            {before === null ? null : <th scope="col">{t('undo.before')}</th>}
            {after === null ? null : <th scope="col">{t('undo.after')}</th>}
            {showsNow ? <th scope="col">{t('undo.now')}</th> : null}
          </tr>
        </thead>
        <tbody>
          {shown.map((value) => (
            <tr key={value.column}>
              <th scope="row">
                <code>{value.column}</code>
              </th>
              {before === null ? null : <Cell value={value.before} />}
              {after === null ? null : <Cell value={value.after} />}
              {showsNow ? <Cell value={value.now} /> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A value. Undefined if there was no row. */
const Cell = ({ value }: { value: string | null | undefined }) => (
  <td>
    {value === undefined ? (
      <span className={classes.dim}>{t('undo.no-row')}</span>
    ) : value === null ? (
      <span className={classes.dim}>{t('undo.null')}</span>
    ) : value === '' ? (
      <span className={classes.dim}>{t('undo.empty')}</span>
    ) : (
      value
    )}
  </td>
);
