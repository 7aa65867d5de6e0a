/** Texts of the choice in whose name the Console looks. ICU messages. */
export const messages = {
  'persona.label': 'View as {name}',
  'persona.title': 'View as',
  'persona.operator': 'Operator',
  'persona.operator-why': 'Owner of the tables; no policy applies.',
  'persona.anon': 'Anonymous',
  'persona.anon-why': 'A visitor who has not signed in: the role anon.',
  'persona.user': 'A user',
  'persona.search': 'Find by email, phone or id',
  'persona.no-user': 'No user goes by that.',
  'persona.guest': 'guest',
  'persona.claims': 'Custom claims',
  'persona.claims-name': 'Claims of {name}',
  'persona.claims-field': 'Claims as JSON, with a "role"',
  'persona.claims-bad': 'This is no JSON object with a "role", the database role.',
  'persona.claims-use': 'Use these claims',
  'persona.gone': 'a user who is gone',
} as const;
