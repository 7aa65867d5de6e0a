/** The panel next to the structure page, where the operator adds, changes or drops an object. */
import { useNavigate } from '@tanstack/react-router';
import type { Column, Relation } from '../../../api/types.ts';
import type { SchemaChange, Vocabulary } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { NewColumn, StoredColumn } from './column-panels.tsx';
import { NewConstraint } from './constraint-panel.tsx';
import { DropPanel } from './drop-panel.tsx';
import { NewIndex } from './index-panel.tsx';
import { TablePanel } from './table-panel.tsx';
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
      return <NewIndex relation={relation} onClose={onClose} />;
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
