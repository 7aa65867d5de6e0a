/** Interface text for the Advisors page, as ICU messages. */
export const messages = {
  'advisors.type': 'Type',
  'advisors.all':
    'All ({count}{suggestions, plural, =0 {} one { and # suggestion} other { and # suggestions}})',
  'advisors.security':
    'Security ({count}{suggestions, plural, =0 {} one { and # suggestion} other { and # suggestions}})',
  'advisors.performance':
    'Performance ({count}{suggestions, plural, =0 {} one { and # suggestion} other { and # suggestions}})',
  'advisors.type-all': 'All',
  'advisors.type-security': 'Security',
  'advisors.type-performance': 'Performance',
  'advisors.check': 'Check again',
  'advisors.level-ERROR': 'Error',
  'advisors.level-WARN': 'Warning',
  'advisors.level-INFO': 'Suggestion',
  'advisors.none-title': 'No problems found',
  'advisors.none-text':
    'The rules cover access, policies, functions, indexes and extensions. Check again after you change the schema.',
  'advisors.more': 'Show all {count}',
  'advisors.rows': 'Estimated rows',
  'advisors.rule': 'Rule',
  'advisors.why': 'Why it matters',
  'advisors.fix': 'Fix',
  'advisors.sql': 'SQL fix',
  'advisors.no-fix': 'The right fix depends on your app. {remediation}',
  'advisors.documentation': 'Read about this rule',
  'advisors.apply': 'Apply fix',
  'advisors.read-only': 'Your role is read-only.',
  'advisors.applied': 'The fix was applied.',
  'advisors.applied-file': 'The fix was applied and saved as {file}.',
  'advisors.applied-gone': 'The check no longer finds this problem.',
  'advisors.applied-remains':
    'The check still finds this problem. Another role may have granted the privilege, or the object may also be defined elsewhere.',
  'advisors.gone': 'The last check didn’t find this problem.',
  'advisors.open-table': 'Open table',
  'advisors.open-policies': 'Open policies',
} as const;
