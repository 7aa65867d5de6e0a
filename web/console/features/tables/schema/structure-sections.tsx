/** The sections of the structure page. If `onOpen` is undefined, the sections are read-only. */
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Relation } from '../../../api/types.ts';
import { Tag } from '../../../components/tag.tsx';
import { printSize } from '../../storage/sizes.ts';
import { policiesOf } from '../policies-link.ts';
import type { Structure } from './api.ts';
import { IndexBuilds, useIndexBuilds } from './index-builds.tsx';
import { AddButton, Item, Section } from './structure-item.tsx';
import classes from './structure-page.module.css';
import type { OpenPanel } from './structure-panel.tsx';
import { valueText } from './structure-text.ts';
import { t } from './text.ts';

interface SectionProps {
  readonly relation: Relation;
  readonly structure: Structure;
  /** Opens a panel. Undefined if the table can't be changed. */
  readonly onOpen: ((panel: OpenPanel) => void) | undefined;
}

const nameOf = ({ schema, name }: Relation) => ({ schema, table: name });

export function ColumnSection({ relation, onOpen }: SectionProps) {
  return (
    <Section
      title={t('schema.columns')}
      tools={
        onOpen && <AddButton label={t('schema.add-column')} onClick={() => onOpen({ kind: 'new-column' })} />
      }
    >
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
          onEdit={onOpen && (() => onOpen({ kind: 'column', column }))}
          onDrop={
            onOpen &&
            (() =>
              onOpen({
                kind: 'drop',
                name: column.name,
                change: { kind: 'drop_column', ...nameOf(relation), column: column.name, cascade: false },
              }))
          }
        />
      ))}
    </Section>
  );
}

export function ConstraintSection({ relation, structure, onOpen }: SectionProps) {
  return (
    <Section
      title={t('schema.constraints')}
      tools={
        onOpen && (
          <AddButton label={t('schema.add-constraint')} onClick={() => onOpen({ kind: 'new-constraint' })} />
        )
      }
      isEmpty={structure.constraints.length === 0}
    >
      {structure.constraints.map(({ name, definition }) => (
        <Item
          key={name}
          name={name}
          text={definition}
          onDrop={
            onOpen &&
            (() =>
              onOpen({
                kind: 'drop',
                name,
                change: { kind: 'drop_constraint', ...nameOf(relation), name, cascade: false },
              }))
          }
        />
      ))}
    </Section>
  );
}

export function IndexSection({ relation, structure, onOpen }: SectionProps) {
  const builds = useIndexBuilds(nameOf(relation));
  return (
    <Section
      title={t('schema.indexes')}
      before={<IndexBuilds builds={builds} />}
      tools={
        onOpen && <AddButton label={t('schema.add-index')} onClick={() => onOpen({ kind: 'new-index' })} />
      }
      isEmpty={structure.indexes.length === 0}
    >
      {structure.indexes.map(({ name, definition, size_bytes, valid, constraint }) => (
        <Item
          key={name}
          name={name}
          text={definition}
          tags={
            <>
              <Tag>{printSize(size_bytes)}</Tag>
              {valid || builds.some((build) => build.name === name) ? null : (
                <Tag tone="danger">{t('schema.invalid')}</Tag>
              )}
              {constraint === null ? null : <Tag>{t('schema.of-constraint', { name: constraint })}</Tag>}
            </>
          }
          onDrop={
            onOpen && constraint === null
              ? () => onOpen({ kind: 'change', change: { kind: 'drop_index', ...nameOf(relation), name } })
              : undefined
          }
        />
      ))}
    </Section>
  );
}

export function TriggerSection({ relation, structure, onOpen }: SectionProps) {
  const at = nameOf(relation);
  return (
    <Section
      title={t('schema.triggers')}
      tools={
        onOpen && (
          <AddButton label={t('schema.add-trigger')} onClick={() => onOpen({ kind: 'new-trigger' })} />
        )
      }
      isEmpty={structure.triggers.length === 0}
    >
      {structure.triggers.map(({ name, definition, enabled }) => (
        <Item
          key={name}
          name={name}
          text={definition}
          tags={enabled ? null : <Tag tone="warning">{t('schema.disabled')}</Tag>}
          extra={
            onOpen && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={t(enabled ? 'schema.disable' : 'schema.enable', { name })}
                onClick={() =>
                  onOpen({ kind: 'change', change: { kind: 'set_trigger', ...at, name, enabled: !enabled } })
                }
              >
                {t(enabled ? 'schema.turn-off' : 'schema.turn-on')}
              </Button>
            )
          }
          onDrop={onOpen && (() => onOpen({ kind: 'change', change: { kind: 'drop_trigger', ...at, name } }))}
        />
      ))}
    </Section>
  );
}

/** Shows whether row-level security is enabled, and lets operators turn it on or off. */
export function SecuritySection({ relation, onOpen }: SectionProps) {
  const { rls, policies } = relation;
  return (
    <Section
      title={t('schema.security')}
      tools={
        onOpen && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() =>
              onOpen({ kind: 'change', change: { kind: 'set_rls', ...nameOf(relation), enabled: !rls } })
            }
          >
            {t(rls ? 'schema.turn-off' : 'schema.turn-on')}
          </Button>
        )
      }
    >
      <li className={classes.item}>
        <span className={classes.itemMain}>{t(rls ? 'schema.rls-on' : 'schema.rls-off')}</span>{' '}
        {onOpen === undefined && policies === 0 ? (
          <span className={classes.itemEnd}>{t('schema.policies-none')}</span>
        ) : (
          <Link
            to="/policies"
            search={policiesOf(relation, onOpen !== undefined)}
            className={classes.itemEnd}
          >
            {t('schema.policies', { count: policies })}
          </Link>
        )}
      </li>
    </Section>
  );
}

/** Shows the table's comment and size, and lets operators rename or drop the table. */
export function TableSection({ relation, structure, onOpen }: SectionProps) {
  return (
    <Section
      title={t('schema.table')}
      tools={
        onOpen && (
          <>
            <Button size="compact-sm" variant="default" onClick={() => onOpen({ kind: 'table' })}>
              {t('schema.rename')}
            </Button>
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              onClick={() =>
                onOpen({
                  kind: 'drop',
                  name: relation.name,
                  change: { kind: 'drop_table', ...nameOf(relation), cascade: false },
                })
              }
            >
              {t('schema.drop-table')}
            </Button>
          </>
        )
      }
    >
      <li className={classes.item}>
        <span className={classes.itemMain}>{relation.comment}</span>
        <span className={classes.itemEnd}>
          {t('schema.size')} <Tag>{printSize(structure.size_bytes)}</Tag>
        </span>
      </li>
    </Section>
  );
}
