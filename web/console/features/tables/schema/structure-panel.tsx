/** The panel next to the structure page, where the operator adds, changes or drops an object. */

import { Checkbox, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Column, Relation } from '../../../api/types.ts';
import { ExpressionField } from '../../../components/editor/expression-field.tsx';
import type { SchemaChange, Vocabulary } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { ColumnFields } from './column-fields.tsx';
import { NewConstraint } from './constraint-panel.tsx';
import { alterationOf, definitionOf, draftOf, emptyColumn } from './drafts.ts';
import { NewIndex } from './index-panel.tsx';
import { NameInput } from './name-input.tsx';
import { t } from './text.ts';
import { NewTrigger } from './trigger-panel.tsx';

/** The open panel and its object. */
export type OpenPanel =
  | { readonly kind: 'new-column' | 'new-constraint' | 'new-index' | 'new-trigger' | 'table' }
  | { readonly kind: 'column'; readonly column: Column }
  | {
      readonly kind: 'drop';
      readonly name: string;
      readonly change: Extract<SchemaChange, { cascade: boolean }>;
    }
  | { readonly kind: 'change'; readonly change: SchemaChange };

export function StructurePanel({
  open,
  relation,
  vocabulary,
  onClose,
}: {
  open: OpenPanel;
  relation: Relation;
  vocabulary: Vocabulary;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  switch (open.kind) {
    case 'new-column':
      return <NewColumn relation={relation} vocabulary={vocabulary} onClose={onClose} />;
    case 'column':
      return (
        <StoredColumn relation={relation} column={open.column} vocabulary={vocabulary} onClose={onClose} />
      );
    case 'new-constraint':
      return <NewConstraint relation={relation} onClose={onClose} />;
    case 'new-index':
      return <NewIndex relation={relation} vocabulary={vocabulary} onClose={onClose} />;
    case 'new-trigger':
      return <NewTrigger relation={relation} vocabulary={vocabulary} onClose={onClose} />;
    case 'table':
      return (
        <TablePanel
          relation={relation}
          onClose={onClose}
          onDone={(name) => {
            onClose();
            void navigate({
              to: '/tables/$schema/$table/structure',
              params: { schema: relation.schema, table: name },
            });
          }}
        />
      );
    case 'drop':
      return (
        <DropPanel
          name={open.name}
          change={open.change}
          onClose={onClose}
          onDone={() => {
            onClose();
            if (open.change.kind === 'drop_table') void navigate({ to: '/tables' });
          }}
        />
      );
    case 'change':
      return (
        <ChangePanel title={t('review.title')} changes={[open.change]} startsWithReview onClose={onClose} />
      );
  }
}

/** The panels for adding and for changing a column. */
function NewColumn({
  relation,
  vocabulary,
  onClose,
}: {
  relation: Relation;
  vocabulary: Vocabulary;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(emptyColumn);
  const column = definitionOf(draft, vocabulary);
  const at = { schema: relation.schema, table: relation.name };
  return (
    <ChangePanel
      title={t('column.new', { table: relation.name })}
      changes={column && [{ kind: 'add_column', ...at, column }]}
      onClose={onClose}
    >
      <ColumnFields
        draft={draft}
        vocabulary={vocabulary}
        table={at}
        isStored={false}
        onChange={(part) => setDraft((current) => ({ ...current, ...part }))}
      />
    </ChangePanel>
  );
}

function StoredColumn({
  relation,
  column,
  vocabulary,
  onClose,
}: {
  relation: Relation;
  column: Column;
  vocabulary: Vocabulary;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(column));
  const [using, setUsing] = useState('');
  const at = { schema: relation.schema, table: relation.name };
  const change = alterationOf(at, column, { draft, using }, vocabulary);
  return (
    <ChangePanel
      title={t('column.edit', { name: column.name })}
      changes={change && [change]}
      onClose={onClose}
    >
      <ColumnFields
        draft={draft}
        vocabulary={vocabulary}
        table={at}
        isStored
        onChange={(part) => setDraft((current) => ({ ...current, ...part }))}
      />
      {draft.type === column.type ? null : (
        <ExpressionField
          label={t('column.using')}
          description={t('column.using-why')}
          value={using}
          own={at}
          onChange={setUsing}
        />
      )}
    </ChangePanel>
  );
}

type Droppable = Extract<SchemaChange, { cascade: boolean }>;

/**
 * Asks for confirmation before an object is dropped. The first step asks whether to drop dependent objects too, and the
 * second step shows the SQL.
 */
function DropPanel({
  name,
  change,
  onClose,
  onDone,
}: {
  name: string;
  change: Droppable;
  onClose: () => void;
  onDone: () => void;
}) {
  const [cascade, setCascade] = useState(false);
  return (
    <ChangePanel
      title={t('schema.drop-title', { name })}
      changes={[{ ...change, cascade }]}
      onClose={onClose}
      onDone={onDone}
    >
      <Checkbox
        label={t('schema.cascade')}
        checked={cascade}
        data-autofocus
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ChangePanel>
  );
}

/** Edits a table's name and comment. */
function TablePanel({
  relation,
  onClose,
  onDone,
}: {
  relation: Relation;
  onClose: () => void;
  /** `name` is the table's new name. */
  onDone: (name: string) => void;
}) {
  const [name, setName] = useState(relation.name);
  const [comment, setComment] = useState(relation.comment ?? '');
  const at = { schema: relation.schema, table: relation.name };
  const changes: SchemaChange[] = [];
  if (comment !== (relation.comment ?? ''))
    changes.push({ kind: 'comment_table', ...at, comment: comment === '' ? null : comment });
  if (name !== '' && name !== relation.name) changes.push({ kind: 'rename_table', ...at, name });
  return (
    <ChangePanel title={t('schema.rename')} changes={changes} onClose={onClose} onDone={() => onDone(name)}>
      <NameInput label={t('schema.name')} value={name} onChange={setName} />
      <TextInput
        size="sm"
        label={t('schema.comment')}
        value={comment}
        autoComplete="off"
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </ChangePanel>
  );
}
