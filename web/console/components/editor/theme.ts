/** The appearance of all editors. */
import { EditorView } from '@codemirror/view';

export const theme = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--plinth-text)',
    backgroundColor: 'var(--plinth-surface)',
    fontSize: '0.8125rem',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--plinth-text)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--plinth-text)', borderLeftWidth: '2px' },
  '.cm-gutters': {
    backgroundColor: 'var(--plinth-surface)',
    color: 'var(--plinth-dimmed)',
    border: 'none',
    paddingInlineStart: '0.5rem',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--plinth-hover) 60%, transparent)',
  },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--plinth-primary) 25%, transparent) !important',
  },
  '.cm-matchingBracket': {
    outline: '1px solid var(--plinth-control)',
    backgroundColor: 'transparent !important',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--plinth-info-box)' },
  '.cm-fault': {
    textDecoration: 'underline wavy var(--plinth-danger)',
    textUnderlineOffset: '3px',
    backgroundColor: 'var(--plinth-danger-box)',
    color: 'var(--plinth-danger-text)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--plinth-line)',
    backgroundColor: 'var(--plinth-surface)',
    borderRadius: '6px',
    boxShadow: '0 4px 16px rgb(0 0 0 / 0.15)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: '14rem',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--plinth-primary)',
    color: 'var(--plinth-on-primary)',
  },
  '.cm-completionDetail': { color: 'var(--plinth-dimmed)', fontStyle: 'normal' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-placeholder': { color: 'var(--plinth-dimmed)' },
  '.cm-panels': { backgroundColor: 'var(--plinth-sunken)', color: 'var(--plinth-text)' },
});

/** Returns the nonce that the page's content security policy requires for style elements. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}
