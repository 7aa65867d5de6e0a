import { HighlightStyle } from '@codemirror/language';
import { tags } from '@lezer/highlight';

/**
 * The highlight style. The colors are roles from `ui/tokens.ts`, and their contrast is tested in both color schemes.
 */
export const highlight = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier],
    color: 'var(--plinth-link)',
    fontWeight: '600',
  },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--plinth-success)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--plinth-warning)' },
  {
    tag: [tags.comment, tags.lineComment, tags.blockComment],
    color: 'var(--plinth-dimmed)',
    fontStyle: 'italic',
  },
  { tag: tags.typeName, color: 'var(--plinth-info-text)' },
]);
