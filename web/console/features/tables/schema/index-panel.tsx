/** Adds an index to a table. */
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Relation } from '../../../api/types.ts';
import type { IndexMethod, IndexPart } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { NamesField } from './constraint-panel.tsx';
import { linesIn, namesIn } from './drafts.ts';
import classes from './forms.module.css';
import { t } from './text.ts';

const methods: readonly IndexMethod[] = ['btree', 'hash', 'gin', 'gist', 'brin', 'spgist'];

export function NewIndex({ relation, onClose }: { relation: Relation; onClose: () => void }) {
  const [name, setName] = useState('');
  const [method, setMethod] = useState<IndexMethod>('btree');
  const [unique, setUnique] = useState(false);
  const [lines, setLines] = useState('');
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
                ...(name === '' ? {} : { name }),
                ...(include === '' ? {} : { include: namesIn(include) }),
                ...(where.trim() === '' ? {} : { where }),
              },
            ]
          : undefined
      }
      onClose={onClose}
    >
      <Textarea
        size="sm"
        className={classes.mono}
        label={t('index.parts')}
        description={t('index.parts-why')}
        placeholder={'(lower(email))\ncreated_at desc'}
        rows={3}
        value={lines}
        required
        error={unknown === undefined ? undefined : t('constraint.unknown', { name: unknown.column })}
        spellCheck={false}
        data-autofocus
        onChange={(event) => setLines(event.currentTarget.value)}
      />
      <div className={classes.pair}>
        <NativeSelect
          size="sm"
          label={t('index.method')}
          data={[...methods]}
          value={method}
          onChange={(event) => setMethod(event.currentTarget.value as IndexMethod)}
        />
        <TextInput
          size="sm"
          className={classes.mono}
          label={t('index.class')}
          placeholder="gin_trgm_ops"
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
      <TextInput
        size="sm"
        className={classes.mono}
        label={t('index.where')}
        placeholder="deleted_at is null"
        value={where}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setWhere(event.currentTarget.value)}
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
