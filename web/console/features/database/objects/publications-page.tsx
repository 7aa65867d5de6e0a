/** Lists publications, which select the tables whose changes Realtime and other subscribers receive. */
import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { PageHead } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import { Tag } from '../../../components/tag.tsx';
import type { SchemaChange } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { NameInput } from '../../tables/schema/name-input.tsx';
import parts from '../parts.module.css';
import { type PublicationRow, type PublishedTable, publicationsQuery } from './api.ts';
import classes from './objects.module.css';
import { t } from './text.ts';

const operations = ['insert', 'update', 'delete', 'truncate'] as const;
type Operation = (typeof operations)[number];
type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'add' | 'edit'; readonly publication: PublicationRow }
  | { readonly kind: 'drop'; readonly publication: PublicationRow }
  | { readonly kind: 'remove'; readonly publication: PublicationRow; readonly table: PublishedTable };

export function PublicationsPage() {
  const { data, error } = useQuery(publicationsQuery);
  const [open, setOpen] = useState<Open>();
  const mayWrite = useMay('write');
  return (
    <>
      <PageHead title={t('publications.title')}>
        {mayWrite ? (
          <Button size="compact-sm" onClick={() => setOpen({ kind: 'new' })}>
            {t('publications.new')}
          </Button>
        ) : null}
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : (
          data.publications.map((publication) => (
            <Publication
              key={publication.name}
              publication={publication}
              onOpen={mayWrite && publication.editable ? setOpen : undefined}
            />
          ))
        )}
      </div>
      {open === undefined || data === undefined ? null : (
        <PublicationPanel open={open} tables={data.tables} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

function Publication({
  publication,
  onOpen,
}: {
  publication: PublicationRow;
  onOpen: ((open: Open) => void) | undefined;
}) {
  const { name, owner, tables, allTables, schemas, operations: published } = publication;
  return (
    <section aria-label={name} className={classes.section}>
      <div className={classes.head}>
        <h2 className={classes.title}>{name}</h2>
        {name === 'supabase_realtime' ? <Tag tone="info">{t('publications.realtime')}</Tag> : null}
        <span className={list.dim}>
          {t('publications.about', {
            operations: published.map((each) => t(`operation.${each}`)).join(', '),
            owner,
          })}
        </span>
        {onOpen === undefined ? null : (
          <span className={classes.actions}>
            {allTables ? null : (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => onOpen({ kind: 'add', publication })}
              >
                {t('publications.add')}
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => onOpen({ kind: 'edit', publication })}>
              {t('publications.operations')}
            </Button>
            {name === 'supabase_realtime' ? null : (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => onOpen({ kind: 'drop', publication })}
              >
                {t('objects.drop')}
              </Button>
            )}
          </span>
        )}
      </div>
      {allTables ? (
        <p className={list.none}>{t('publications.all-tables')}</p>
      ) : schemas.length > 0 ? (
        <p className={list.none}>{t('publications.schemas', { schemas: schemas.join(', ') })}</p>
      ) : tables.length === 0 ? (
        <p className={list.none}>{t('publications.empty')}</p>
      ) : null}
      {tables.length === 0 ? null : (
        <PublishedTables
          tables={tables}
          label={name}
          onRemove={
            onOpen === undefined ? undefined : (table) => onOpen({ kind: 'remove', publication, table })
          }
        />
      )}
    </section>
  );
}

function PublishedTables({
  tables,
  label,
  onRemove,
}: {
  tables: readonly PublishedTable[];
  label: string;
  onRemove: ((table: PublishedTable) => void) | undefined;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{label}</caption>
      <thead>
        <tr>
          <th scope="col">{t('publications.table')}</th>
          <th scope="col" className={list.wide}>
            {t('publications.columns')}
          </th>
          <th scope="col" className={list.wide}>
            {t('publications.where')}
          </th>
          <th scope="col">{t('publications.identity')}</th>
          {onRemove === undefined ? null : (
            <th scope="col" className={list.actions}>
              <span className="visually-hidden">{t('objects.actions')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {tables.map((table) => (
          <tr key={`${table.schema}.${table.name}`}>
            <td>
              <span className={list.named}>
                <Link
                  to="/tables/$schema/$table/structure"
                  params={{ schema: table.schema, table: table.name }}
                  className={list.main}
                >
                  {table.schema}.{table.name}
                </Link>
                {table.rls ? null : (
                  <Tag tone="warning" title={t('publications.no-rls-why')}>
                    {t('publications.no-rls')}
                  </Tag>
                )}
              </span>
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              {table.columns === null ? t('publications.every-column') : table.columns.join(', ')}
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              <span className={parts.code}>{table.where ?? '—'}</span>
            </td>
            <td className={list.dim}>
              {t(
                table.identity === 'default' && !table.hasPrimaryKey
                  ? 'publications.identity-none'
                  : `publications.identity-${table.identity}`,
              )}
            </td>
            {onRemove === undefined ? null : (
              <td className={list.actions}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('publications.remove', {
                    table: `${table.schema}.${table.name}`,
                    name: label,
                  })}
                  onClick={() => onRemove(table)}
                >
                  <IconX size={15} aria-hidden />
                </ActionIcon>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type TableName = { readonly schema: string; readonly name: string };

function PublicationPanel({
  open,
  tables,
  onClose,
}: {
  open: Open;
  tables: readonly TableName[];
  onClose: () => void;
}) {
  switch (open.kind) {
    case 'new':
      return <NewPublication tables={tables} onClose={onClose} />;
    case 'add':
      return <AddTable publication={open.publication} tables={tables} onClose={onClose} />;
    case 'edit':
      return <EditOperations publication={open.publication} onClose={onClose} />;
    default:
      return (
        <ChangePanel
          title={t('publications.change')}
          changes={[
            open.kind === 'drop'
              ? { kind: 'drop_publication', publication: open.publication.name }
              : {
                  kind: 'unpublish_tables',
                  publication: open.publication.name,
                  tables: [{ schema: open.table.schema, name: open.table.name }],
                },
          ]}
          startsWithReview
          onClose={onClose}
        />
      );
  }
}

function TableSelect({
  tables,
  value,
  onChange,
}: {
  tables: readonly TableName[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <SearchSelect
      label={t('publications.table')}
      value={value}
      data={[
        { value: '', label: t('publications.choose') },
        ...tables.map((table) => ({ value: JSON.stringify(table), label: `${table.schema}.${table.name}` })),
      ]}
      onChange={onChange}
    />
  );
}

const chosenTable = (value: string): TableName[] => (value === '' ? [] : [JSON.parse(value) as TableName]);

function AddTable({
  publication,
  tables,
  onClose,
}: {
  publication: PublicationRow;
  tables: readonly TableName[];
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState('');
  const rest = tables.filter(
    ({ schema, name }) => !publication.tables.some((each) => each.schema === schema && each.name === name),
  );
  return (
    <ChangePanel
      title={t('publications.add-title', { name: publication.name })}
      changes={
        chosen === ''
          ? undefined
          : [{ kind: 'publish_tables', publication: publication.name, tables: chosenTable(chosen) }]
      }
      onClose={onClose}
    >
      <TableSelect tables={rest} value={chosen} onChange={setChosen} />
    </ChangePanel>
  );
}

function OperationFields({
  chosen,
  onChange,
}: {
  chosen: readonly Operation[];
  onChange: (chosen: readonly Operation[]) => void;
}) {
  return (
    <fieldset className={classes.checks}>
      <legend>{t('publications.operations')}</legend>
      {operations.map((operation) => (
        <Checkbox
          key={operation}
          label={t(`operation.${operation}`)}
          checked={chosen.includes(operation)}
          onChange={(event) =>
            onChange(
              operations.filter((each) =>
                each === operation ? event.currentTarget.checked : chosen.includes(each),
              ),
            )
          }
        />
      ))}
    </fieldset>
  );
}

function EditOperations({ publication, onClose }: { publication: PublicationRow; onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly Operation[]>(publication.operations);
  const isChanged = operations.some(
    (each) => chosen.includes(each) !== publication.operations.includes(each),
  );
  return (
    <ChangePanel
      title={t('publications.operations')}
      changes={
        isChanged && chosen.length > 0
          ? [{ kind: 'alter_publication', publication: publication.name, operations: chosen }]
          : undefined
      }
      onClose={onClose}
    >
      <OperationFields chosen={chosen} onChange={setChosen} />
    </ChangePanel>
  );
}

function NewPublication({ tables, onClose }: { tables: readonly TableName[]; onClose: () => void }) {
  const [name, setName] = useState('');
  const [table, setTable] = useState('');
  const [chosen, setChosen] = useState<readonly Operation[]>(operations);
  const changes: SchemaChange[] = [
    { kind: 'create_publication', publication: name, tables: chosenTable(table), operations: chosen },
  ];
  return (
    <ChangePanel
      title={t('publications.new')}
      changes={name === '' || chosen.length === 0 ? undefined : changes}
      onClose={onClose}
    >
      <NameInput label={t('objects.name')} value={name} onChange={setName} />
      <TableSelect tables={tables} value={table} onChange={setTable} />
      <OperationFields chosen={chosen} onChange={setChosen} />
    </ChangePanel>
  );
}
