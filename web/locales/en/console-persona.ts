/** Interface text for the persona picker, as ICU messages. */
export const messages = {
  'persona.label': 'View as {name}',
  'persona.title': 'View as',
  'persona.operator': 'Operator',
  'persona.operator-why': 'Access as the table owner. Policies don’t apply.',
  'persona.anon': 'Anonymous',
  'persona.anon-why': 'A visitor who isn’t signed in (the anon role).',
  'persona.user': 'A user',
  'persona.search': 'Search by email, phone or ID',
  'persona.no-user': 'No matching users',
  'persona.guest': 'guest',
  'persona.claims': 'Custom claims',
  'persona.claims-name': 'Claims of {name}',
  'persona.claims-field': 'Claims (JSON with a "role")',
  'persona.claims-bad': 'Enter a JSON object with a "role" key that names a database role.',
  'persona.claims-use': 'Use claims',
  'persona.gone': 'a deleted user',
} as const;
