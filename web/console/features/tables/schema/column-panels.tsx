/** The panels for adding and for changing a column. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Column, Relation } from '../../../api/types.ts';
import type { Vocabulary } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { ColumnFields } from './column-fields.tsx';
import { alterationOf, definitionOf, draftOf, emptyColumn } from './drafts.ts';
import classes from './forms.module.css';
import { t } from './text.ts';

export function NewColumn({
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
        isStored={false}
        onChange={(part) => setDraft((current) => ({ ...current, ...part }))}
      />
    </ChangePanel>
  );
}

export function StoredColumn({
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
  const change = alterationOf(at, column, draft, using, vocabulary);
  return (
    <ChangePanel
      title={t('column.edit', { name: column.name })}
      changes={change && [change]}
      onClose={onClose}
    >
      <ColumnFields
        draft={draft}
        vocabulary={vocabulary}
        isStored
        onChange={(part) => setDraft((current) => ({ ...current, ...part }))}
      />
      {draft.type === column.type ? null : (
        <TextInput
          size="sm"
          className={classes.mono}
          label={t('column.using')}
          description={t('column.using-why')}
          value={using}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setUsing(event.currentTarget.value)}
        />
      )}
    </ChangePanel>
  );
}
