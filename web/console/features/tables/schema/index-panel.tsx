/** Adds an index to a table. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Relation } from '../../../api/types.ts';
import { ExpressionField } from '../../../components/editor/expression-field.tsx';
import type { IndexMethod, IndexPart, Vocabulary } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { NamesField } from './constraint-panel.tsx';
import { linesIn, namesIn } from './drafts.ts';
import classes from './forms.module.css';
import { t } from './text.ts';

export function NewIndex({
  relation,
  vocabulary,
  columns = [],
  unique: startsUnique = false,
  onClose,
}: {
  relation: Relation;
  vocabulary: Vocabulary;
  /** The columns that are chosen at first. */
  columns?: readonly string[];
  unique?: boolean;
  onClose: () => void;
}) {
  const own = { schema: relation.schema, table: relation.name };
  const [name, setName] = useState('');
  const [method, setMethod] = useState<IndexMethod>('btree');
  const [unique, setUnique] = useState(startsUnique);
  const [concurrently, setConcurrently] = useState(false);
  const [lines, setLines] = useState(columns.map(lineOf).join('\n'));
  const [operatorClass, setOperatorClass] = useState('');
  const [where, setWhere] = useState('');
  const [include, setInclude] = useState('');
  const parts = linesIn(lines).map((line) => ({
    ...indexPartOf(line),
    ...(operatorClass === '' ? {} : { operatorClass }),
  }));
  const unknown = parts.find(
    ({ column }) => column !== undefined && !relation.columns.some((each) => each.name === column),
  );
  const isReady = parts.length > 0 && unknown === undefined;
  return (
    <ChangePanel
      title={t('index.new', { table: relation.name })}
      changes={
        isReady
          ? [
              {
                kind: 'create_index',
                schema: relation.schema,
                table: relation.name,
                method,
                unique,
                parts,
                ...(concurrently
                  ? { concurrently, name: name === '' ? suggestedIndexName(relation.name, parts) : name }
                  : name === ''
                    ? {}
                    : { name }),
                ...(include === '' ? {} : { include: namesIn(include) }),
                ...(where.trim() === '' ? {} : { where }),
              },
            ]
          : undefined
      }
      onClose={onClose}
    >
      <NativeSelect
        size="sm"
        label={t('index.add-column')}
        value=""
        data={[
          { value: '', label: t('index.pick-column') },
          ...relation.columns
            .filter((column) => !parts.some((part) => part.column === column.name))
            .map((column) => ({ value: column.name, label: `${column.name} (${column.type})` })),
        ]}
        onChange={(event) => {
          const line = lineOf(event.currentTarget.value);
          setLines(lines.trim() === '' ? line : `${lines.trimEnd()}\n${line}`);
        }}
      />
      <ExpressionField
        label={t('index.parts')}
        description={t('index.parts-why')}
        placeholder={'(lower(email))\ncreated_at desc'}
        lines={3}
        value={lines}
        own={own}
        required
        error={unknown === undefined ? undefined : t('constraint.unknown', { name: unknown.column })}
        autoFocus
        onChange={setLines}
      />
      <div className={classes.pair}>
        <NativeSelect
          size="sm"
          label={t('index.method')}
          data={vocabulary.index_methods}
          value={method}
          onChange={(event) => setMethod(event.currentTarget.value as IndexMethod)}
        />
        <TextInput
          size="sm"
          className={classes.mono}
          label={t('index.class')}
          placeholder={method === 'hnsw' || method === 'ivfflat' ? 'vector_cosine_ops' : 'gin_trgm_ops'}
          value={operatorClass}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setOperatorClass(event.currentTarget.value)}
        />
      </div>
      <Checkbox
        label={t('index.unique')}
        checked={unique}
        onChange={(event) => setUnique(event.currentTarget.checked)}
      />
      <Checkbox
        label={t('index.concurrently')}
        description={t('index.concurrently-why')}
        checked={concurrently}
        onChange={(event) => setConcurrently(event.currentTarget.checked)}
      />
      <ExpressionField
        label={t('index.where')}
        placeholder="deleted_at is null"
        value={where}
        own={own}
        onChange={setWhere}
      />
      <NamesField label={t('index.include')} relation={relation} value={include} onChange={setInclude} />
      <TextInput
        size="sm"
        label={t('constraint.name-optional')}
        value={name}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ChangePanel>
  );
}

/** Writes a column as a line of the form. */
const lineOf = (column: string): string => (/^[a-z_][\w$]*$/i.test(column) ? column : `"${column}"`);

/** PostgreSQL's names are at most 63 bytes long. */
const maxNameBytes = 63;

/** Suggests a name as PostgreSQL does, because an index that is built concurrently needs one. */
function suggestedIndexName(table: string, parts: readonly IndexPart[]): string {
  let words = [table, ...parts.map(({ column }) => column ?? 'expr')].join('_');
  while (new TextEncoder().encode(words).length > maxNameBytes - 4) words = words.slice(0, -1);
  return `${words}_idx`;
}

/**
 * Parses one line of the form: a column, or an expression in parentheses. `desc` at the end reverses the order.
 * @example
 * indexPartOf('(lower(title)) desc'); // { expression: 'lower(title)', descending: true }
 */
function indexPartOf(line: string): IndexPart {
  const turned = /\s+(asc|desc)$/i.exec(line);
  const subject = turned === null ? line : line.slice(0, turned.index).trim();
  const descending = turned?.[1]?.toLowerCase() === 'desc' ? { descending: true } : {};
  return subject.startsWith('(') && subject.endsWith(')')
    ? { expression: subject.slice(1, -1), ...descending }
    : { column: subject.replaceAll(/^"|"$/g, ''), ...descending };
}
