/** The structure of a table, and how to change it. */
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowLeft, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { relationQuery } from '../../../api/queries.ts';
import { useMay } from '../../../api/session.ts';
import type { Column, Relation } from '../../../api/types.ts';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SkeletonLines } from '../../../components/skeleton.tsx';
import { Tag } from '../../../components/tag.tsx';
import { type SchemaChange, type Structure, structureQuery, vocabularyQuery } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { NewColumn, StoredColumn } from './column-panels.tsx';
import { NewConstraint } from './constraint-panel.tsx';
import { DropPanel } from './drop-panel.tsx';
import { NewIndex } from './index-panel.tsx';
import classes from './structure-page.module.css';
import { TablePanel } from './table-panel.tsx';
import { t } from './text.ts';
import { NewTrigger } from './trigger-panel.tsx';

const route = getRouteApi('/app/tables/$schema/$table/structure');

type New = 'new-column' | 'new-constraint' | 'new-index' | 'new-trigger';

/** The panel that is open beside the page. */
type Open =
  | { readonly kind: New | 'table' }
  | { readonly kind: 'column'; readonly column: Column }
  | {
      readonly kind: 'drop';
      readonly name: string;
      readonly change: Extract<SchemaChange, { cascade: boolean }>;
    }
  | { readonly kind: 'change'; readonly change: SchemaChange };

export function StructurePage() {
  const { schema, table } = route.useParams();
  const relation = useQuery(relationQuery({ schema, table }));
  const structure = useQuery(structureQuery({ schema, table }));
  const error = relation.error ?? structure.error;
  return (
    <div className={classes.page}>
      <title>{t('app.title', { page: `${schema}.${table}` })}</title>
      <header className={classes.head}>
        <Link to="/tables" className={classes.back} aria-label={t('tables.back')}>
          <IconArrowLeft size={18} aria-hidden />
        </Link>
        <h1 className={classes.title}>
          <span className={classes.schema}>{schema}.</span>
          {table}
        </h1>
        <Link to="/tables/$schema/$table" params={{ schema, table }} search={{}} className={classes.toRows}>
          {t('schema.rows')}
        </Link>
      </header>
      {error === null ? null : <ProblemBox error={error} />}
      {relation.data === undefined || structure.data === undefined ? (
        error === null ? (
          <SkeletonLines lines={12} />
        ) : null
      ) : (
        <Sections key={`${schema}.${table}`} relation={relation.data} structure={structure.data} />
      )}
    </div>
  );
}

function Sections({ relation, structure }: { relation: Relation; structure: Structure }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const mayWrite = useMay('write');
  const { data: vocabulary } = useQuery(vocabularyQuery);
  const isTable = relation.kind === 'table' || relation.kind === 'partitioned table';
  const canChange = mayWrite && isTable && vocabulary !== undefined;
  const at = { schema: relation.schema, table: relation.name };
  const close = (): void => setOpen(undefined);
  const add = (label: string, kind: New) =>
    canChange ? (
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => setOpen({ kind })}
      >
        {label}
      </Button>
    ) : null;
  return (
    <div className={classes.sections}>
      {mayWrite ? null : <p className={classes.note}>{t('schema.read-only')}</p>}
      {isTable ? null : <p className={classes.note}>{t('schema.no-view')}</p>}
      <Section title={t('schema.columns')} tools={add(t('schema.add-column'), 'new-column')}>
        {relation.columns.map((column) => (
          <Item
            key={column.name}
            name={column.name}
            text={valueText(column)}
            tags={
              <>
                <code className={classes.type}>{column.type}</code>
                {column.primary_key ? <Tag tone="info">{t('column.key')}</Tag> : null}
                {column.nullable ? null : <Tag>{t('column.required')}</Tag>}
                {column.references === null ? null : (
                  <Tag>
                    → {column.references.table}.{column.references.column}
                  </Tag>
                )}
              </>
            }
            onEdit={canChange ? () => setOpen({ kind: 'column', column }) : undefined}
            onDrop={
              canChange
                ? () =>
                    setOpen({
                      kind: 'drop',
                      name: column.name,
                      change: { kind: 'drop_column', ...at, column: column.name, cascade: false },
                    })
                : undefined
            }
          />
        ))}
      </Section>
      <Section
        title={t('schema.constraints')}
        tools={add(t('schema.add-constraint'), 'new-constraint')}
        isEmpty={structure.constraints.length === 0}
      >
        {structure.constraints.map(({ name, definition }) => (
          <Item
            key={name}
            name={name}
            text={definition}
            onDrop={
              canChange
                ? () =>
                    setOpen({
                      kind: 'drop',
                      name,
                      change: { kind: 'drop_constraint', ...at, name, cascade: false },
                    })
                : undefined
            }
          />
        ))}
      </Section>
      <Section
        title={t('schema.indexes')}
        tools={add(t('schema.add-index'), 'new-index')}
        isEmpty={structure.indexes.length === 0}
      >
        {structure.indexes.map((index) => (
          <Item
            key={index.name}
            name={index.name}
            text={index.definition}
            tags={
              <>
                <Tag>{sizeText(index.size_bytes)}</Tag>
                {index.valid ? null : <Tag tone="danger">{t('schema.invalid')}</Tag>}
                {index.constraint === null ? null : (
                  <Tag>{t('schema.of-constraint', { name: index.constraint })}</Tag>
                )}
              </>
            }
            onDrop={
              canChange && index.constraint === null
                ? () => setOpen({ kind: 'change', change: { kind: 'drop_index', ...at, name: index.name } })
                : undefined
            }
          />
        ))}
      </Section>
      <Section
        title={t('schema.triggers')}
        tools={add(t('schema.add-trigger'), 'new-trigger')}
        isEmpty={structure.triggers.length === 0}
      >
        {structure.triggers.map(({ name, definition, enabled }) => (
          <Item
            key={name}
            name={name}
            text={definition}
            tags={enabled ? null : <Tag tone="warning">{t('schema.disabled')}</Tag>}
            extra={
              canChange ? (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t(enabled ? 'schema.disable' : 'schema.enable', { name })}
                  onClick={() =>
                    setOpen({
                      kind: 'change',
                      change: { kind: 'set_trigger', ...at, name, enabled: !enabled },
                    })
                  }
                >
                  {t(enabled ? 'schema.turn-off' : 'schema.turn-on')}
                </Button>
              ) : null
            }
            onDrop={
              canChange
                ? () => setOpen({ kind: 'change', change: { kind: 'drop_trigger', ...at, name } })
                : undefined
            }
          />
        ))}
      </Section>
      {isTable ? (
        <Section
          title={t('schema.security')}
          tools={
            canChange ? (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() =>
                  setOpen({ kind: 'change', change: { kind: 'set_rls', ...at, enabled: !relation.rls } })
                }
              >
                {t(relation.rls ? 'schema.turn-off' : 'schema.turn-on')}
              </Button>
            ) : null
          }
        >
          <li className={classes.item}>{t(relation.rls ? 'schema.rls-on' : 'schema.rls-off')}</li>
        </Section>
      ) : null}
      {isTable ? (
        <Section
          title={t('schema.table')}
          tools={
            canChange ? (
              <>
                <Button size="compact-sm" variant="default" onClick={() => setOpen({ kind: 'table' })}>
                  {t('schema.rename')}
                </Button>
                <Button
                  size="compact-sm"
                  variant="light"
                  color="red"
                  onClick={() =>
                    setOpen({
                      kind: 'drop',
                      name: relation.name,
                      change: { kind: 'drop_table', ...at, cascade: false },
                    })
                  }
                >
                  {t('schema.drop-table')}
                </Button>
              </>
            ) : null
          }
        >
          <li className={classes.item}>
            {relation.comment ?? ''} <Tag>{sizeText(structure.size_bytes)}</Tag>
          </li>
        </Section>
      ) : null}
      {open === undefined || vocabulary === undefined ? null : open.kind === 'new-column' ? (
        <NewColumn relation={relation} vocabulary={vocabulary} onClose={close} />
      ) : open.kind === 'column' ? (
        <StoredColumn relation={relation} column={open.column} vocabulary={vocabulary} onClose={close} />
      ) : open.kind === 'new-constraint' ? (
        <NewConstraint relation={relation} onClose={close} />
      ) : open.kind === 'new-index' ? (
        <NewIndex relation={relation} onClose={close} />
      ) : open.kind === 'new-trigger' ? (
        <NewTrigger relation={relation} vocabulary={vocabulary} onClose={close} />
      ) : open.kind === 'table' ? (
        <TablePanel
          relation={relation}
          onClose={close}
          onDone={(name) => {
            close();
            void navigate({
              to: '/tables/$schema/$table/structure',
              params: { schema: relation.schema, table: name },
            });
          }}
        />
      ) : open.kind === 'drop' ? (
        <DropPanel
          name={open.name}
          change={open.change}
          onClose={close}
          onDone={() => {
            close();
            if (open.change.kind === 'drop_table') void navigate({ to: '/tables' });
          }}
        />
      ) : open.kind === 'change' ? (
        <ChangePanel title={t('review.title')} changes={[open.change]} startsWithReview onClose={close} />
      ) : null}
    </div>
  );
}

function Section({
  title,
  tools,
  isEmpty = false,
  children,
}: {
  title: string;
  tools: ReactNode;
  isEmpty?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <h2 className={classes.sectionTitle}>{title}</h2>
        <div className={classes.tools}>{tools}</div>
      </div>
      {isEmpty ? (
        <p className={classes.note}>{t('schema.none')}</p>
      ) : (
        <ul className={classes.items}>{children}</ul>
      )}
    </section>
  );
}

function Item({
  name,
  text,
  tags,
  extra,
  onEdit,
  onDrop,
}: {
  name: string;
  text: string;
  tags?: ReactNode;
  extra?: ReactNode;
  onEdit?: (() => void) | undefined;
  onDrop?: (() => void) | undefined;
}) {
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <span className={classes.itemName}>{name}</span>
        <span className={classes.tags}>{tags}</span>
        {text === '' ? null : <code className={classes.definition}>{text}</code>}
      </div>
      <div className={classes.tools}>
        {extra}
        {onEdit === undefined ? null : (
          <ActionIcon variant="subtle" color="gray" aria-label={t('schema.edit', { name })} onClick={onEdit}>
            <IconPencil size={15} aria-hidden />
          </ActionIcon>
        )}
        {onDrop === undefined ? null : (
          <ActionIcon variant="subtle" color="gray" aria-label={t('schema.drop', { name })} onClick={onDrop}>
            <IconTrash size={15} aria-hidden />
          </ActionIcon>
        )}
      </div>
    </li>
  );
}

function valueText({ default: expression, identity, generated, comment }: Column): string {
  const value =
    identity !== null
      ? `generated ${identity} as identity`
      : generated
        ? `generated always as (${expression})`
        : expression === null
          ? ''
          : `default ${expression}`;
  return [value, comment ?? ''].filter((part) => part !== '').join(' · ');
}

const sizeUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

function sizeText(bytes: number): string {
  const power = Math.min(sizeUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${sizeUnits[power]}`;
}
