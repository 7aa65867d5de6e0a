/** Lists the indexes of all tables with their size and use, and the foreign keys that lack one. */
import { Button, NativeSelect } from '@mantine/core';
import { IconArrowDown, IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDateTime } from '../../../../lib/i18n.ts';
import { useMay } from '../../../api/session.ts';
import { isSystemSchema } from '../../../api/system-schemas.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { Moment } from '../../../components/moment.tsx';
import { Pager } from '../../../components/pager.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { Tag } from '../../../components/tag.tsx';
import { printSize } from '../../storage/sizes.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { listed, perPage } from '../list-search.ts';
import { ListHead, merged } from '../list-tools.tsx';
import classes from '../parts.module.css';
import { t } from '../text.ts';
import { type IndexSearch, type IndexUse, indexesQuery, orders, shows, type UnindexedKey } from './api.ts';
import { NewIndexPanel, type NewIndexStart } from './new-index.tsx';

const route = getRouteApi('/app/database/indexes');

export function IndexesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(indexesQuery);
  const mayWrite = useMay('write');
  const [creating, setCreating] = useState<NewIndexStart>();
  const [dropping, setDropping] = useState<IndexUse>();
  const order = search.order ?? 'size';
  const wanted = (data?.indexes ?? []).filter((index) => matches(index, search.among));
  const sorted = wanted.toSorted(sorts[order]);
  const { found, shown, schemas } = listed(
    sorted,
    search,
    ({ schema, table, name }) => `${schema}.${table} ${name}`,
  );
  const change = (next: { [Name in keyof IndexSearch]?: IndexSearch[Name] | undefined }): void =>
    void navigate({ search: (previous) => merged(previous, next), replace: true });
  const keys = (data?.unindexed_keys ?? []).filter(
    ({ schema }) =>
      (search.system === true || !isSystemSchema(schema)) && (search.schema ?? schema) === schema,
  );
  return (
    <>
      <ListHead
        title={t('database.indexes')}
        searchLabel={t('indexes.search')}
        search={search}
        schemas={schemas}
        onChange={change}
      >
        {mayWrite ? (
          <Button size="compact-sm" onClick={() => setCreating({})}>
            {t('indexes.new')}
          </Button>
        ) : null}
      </ListHead>
      <div className={classes.bar}>
        <NativeSelect
          size="xs"
          aria-label={t('indexes.show')}
          value={search.among ?? ''}
          data={[
            { value: '', label: t('indexes.all') },
            ...shows.map((value) => ({ value, label: t(`indexes.${value}`) })),
          ]}
          onChange={(event) => change({ among: shows.find((each) => each === event.currentTarget.value) })}
        />
        <span className={list.dim}>
          {data === undefined
            ? null
            : data.since === null
              ? t('indexes.since-start')
              : t('indexes.since', { time: formatDateTime(data.since) })}
        </span>
      </div>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : (
          <>
            {search.among === undefined && search.filter === undefined && (search.page ?? 1) === 1 ? (
              <UnindexedKeys keys={keys} onCreate={mayWrite ? setCreating : undefined} />
            ) : null}
            {found.length === 0 ? (
              <EmptyState
                icon={<IconListSearch size={22} stroke={1.75} />}
                title={t('database.no-results')}
                text={t('database.no-results-text')}
              />
            ) : (
              <IndexTable
                indexes={shown}
                order={order}
                onOrder={(next) => change({ order: next })}
                onDrop={mayWrite ? setDropping : undefined}
              />
            )}
          </>
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
      {creating === undefined ? null : (
        <NewIndexPanel start={creating} onClose={() => setCreating(undefined)} />
      )}
      {dropping === undefined ? null : (
        <ChangePanel
          title={t('database.drop-title', { name: dropping.name })}
          changes={[
            { kind: 'drop_index', schema: dropping.schema, table: dropping.table, name: dropping.name },
          ]}
          startsWithReview
          onClose={() => setDropping(undefined)}
        />
      )}
    </>
  );
}

function matches(index: IndexUse, show: IndexSearch['among']): boolean {
  // An index that enforces uniqueness is needed even if no query uses it.
  if (show === 'unused') return index.scans === 0 && !index.unique && index.constraint === null;
  if (show === 'unnecessary') return index.covered_by !== null;
  return show !== 'invalid' || !index.valid;
}

const sorts: Record<(typeof orders)[number], (left: IndexUse, right: IndexUse) => number> = {
  size: (left, right) => right.size_bytes - left.size_bytes,
  scans: (left, right) => right.scans - left.scans,
  last: (left, right) => (right.last_scan ?? '').localeCompare(left.last_scan ?? ''),
};

/** The number of foreign keys that are shown at first, so that the table of indexes below stays in view. */
const firstKeys = 5;

function UnindexedKeys({
  keys,
  onCreate,
}: {
  keys: readonly UnindexedKey[];
  onCreate: ((start: NewIndexStart) => void) | undefined;
}) {
  const [showsAll, setShowsAll] = useState(false);
  if (keys.length === 0) return null;
  const shown = showsAll ? keys : keys.slice(0, firstKeys);
  return (
    <section className={classes.keys} aria-label={t('indexes.keys')}>
      <h2 className={classes.title}>{t('indexes.keys')}</h2>
      <p className={classes.dim}>{t('indexes.keys-why')}</p>
      <ul className={classes.items}>
        {shown.map(({ schema, table, name, columns }) => (
          <li key={`${schema}.${table} ${name}`} className={classes.key}>
            <span className={classes.name}>
              {schema}.{table} ({columns.join(', ')})
            </span>
            {onCreate === undefined ? null : (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('indexes.create-for', { name: `${table} (${columns.join(', ')})` })}
                onClick={() => onCreate({ at: { schema, table }, columns })}
              >
                {t('indexes.create')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {shown.length === keys.length ? null : (
        <Button size="compact-sm" variant="subtle" onClick={() => setShowsAll(true)}>
          {t('indexes.keys-all', { count: keys.length })}
        </Button>
      )}
    </section>
  );
}

function IndexTable({
  indexes,
  order,
  onOrder,
  onDrop,
}: {
  indexes: readonly IndexUse[];
  order: (typeof orders)[number];
  onOrder: (order: (typeof orders)[number]) => void;
  onDrop: ((index: IndexUse) => void) | undefined;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('database.indexes')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('indexes.index')}</th>
          {orders.map((each) => (
            <th
              key={each}
              scope="col"
              className={each === 'size' ? list.number : `${list.number} ${list.wide}`}
              aria-sort={each === order ? 'descending' : undefined}
            >
              <button type="button" className={classes.sort} onClick={() => onOrder(each)}>
                {each === order ? <IconArrowDown size={12} aria-hidden /> : null}
                {t(`indexes.${each}`)}
              </button>
            </th>
          ))}
          {onDrop === undefined ? null : (
            <th scope="col" className={list.actions}>
              <span className="visually-hidden">{t('database.actions')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {indexes.map((index) => (
          <tr key={`${index.schema}.${index.name}`}>
            <td className={classes.wideCell}>
              <span className={list.named}>
                <span className={list.main}>{index.name}</span>
                <IndexTags index={index} />
              </span>
              <span className={classes.sub}>
                <Link
                  to="/tables/$schema/$table/structure"
                  params={{ schema: index.schema, table: index.table }}
                >
                  {index.schema}.{index.table}
                </Link>{' '}
                <span className={classes.code}>{partsOf(index.definition)}</span>
              </span>
              {index.covered_by === null ? null : (
                <span className={classes.sub}>{t('indexes.covered', { name: index.covered_by })}</span>
              )}
            </td>
            <td className={list.number}>{printSize(index.size_bytes)}</td>
            <td className={`${list.number} ${list.wide}`}>{t('indexes.count', { count: index.scans })}</td>
            <td className={`${list.number} ${list.wide}`}>
              {index.last_scan === null ? '—' : <Moment at={index.last_scan} relative />}
            </td>
            {onDrop === undefined ? null : (
              <td className={list.actions}>
                {index.constraint === null ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('database.drop-title', { name: index.name })}
                    onClick={() => onDrop(index)}
                  >
                    {t('database.drop')}
                  </Button>
                ) : null}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function IndexTags({ index: { unique, constraint, valid, covered_by, scans, method } }: { index: IndexUse }) {
  return (
    <>
      {method === 'btree' ? null : <Tag>{method}</Tag>}
      {constraint !== null ? <Tag tone="info">{t('indexes.of-constraint')}</Tag> : null}
      {unique && constraint === null ? <Tag tone="info">{t('indexes.unique')}</Tag> : null}
      {valid ? null : <Tag tone="danger">{t('indexes.invalid')}</Tag>}
      {covered_by === null ? null : <Tag tone="warning">{t('indexes.unnecessary')}</Tag>}
      {scans === 0 && !unique && constraint === null ? <Tag tone="warning">{t('indexes.unused')}</Tag> : null}
    </>
  );
}

/** Returns the part of the definition after the method, such as `(lower(email)) WHERE active`. */
const partsOf = (definition: string): string => definition.replace(/^.*? USING \w+ /s, '');
