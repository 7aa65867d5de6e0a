/** Loads the messages of the diagram. */
import { addMessages, textOf } from '../../../../lib/i18n.ts';
import { messages } from '../../../../locales/en/console-diagram.ts';
import type { TextId } from '../../../text.ts';
import type { DiagramTable } from './api.ts';

addMessages('en', messages);
export const t = textOf<TextId | keyof typeof messages>();

/** The estimated number of rows and the state of row-level security. A view has neither. */
export function detailOf({ kind, estimated_rows, rls, policies }: DiagramTable): string {
  if (kind === 'view') return t('diagram.kind.view');
  const rows =
    estimated_rows === null ? t('diagram.rows-unknown') : t('diagram.rows-about', { count: estimated_rows });
  if (kind === 'materialized view' || kind === 'foreign table')
    return `${t(`diagram.kind.${kind}`)}, ${rows}`;
  return `${rows}, ${rls ? t('diagram.rls-on', { count: policies }) : t('diagram.rls-off')}`;
}
