/** Edits a table's name and comment. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Relation } from '../../../api/types.ts';
import type { SchemaChange } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { NameInput } from './name-input.tsx';
import { t } from './text.ts';

export function TablePanel({
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
