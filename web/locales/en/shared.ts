/** Interface text of `web/ui` and `web/lib`, which the Account pages and the Console load. */
export const messages = {
  'ui.copy': 'Copy',
  'ui.copied': 'Copied',
  'ui.copy-what': 'Copy {what}',
  'ui.show-password': 'Show password',
  'ui.hide-password': 'Hide password',
  'ui.error-heading': 'Something needs your attention',
  'ui.error-code': 'Error code',
  'ui.request-id': 'Request ID',
  'ui.skip': 'Skip to content',
  'ui.scheme': 'Color scheme',
  'ui.scheme-light': 'Light',
  'ui.scheme-dark': 'Dark',
  'ui.scheme-auto': 'System',
} as const;
