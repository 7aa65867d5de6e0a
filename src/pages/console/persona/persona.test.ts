import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConsoleError } from '../errors.ts';
import { type Persona, parsePersona, printPersona } from './persona.ts';

const personas: fc.Arbitrary<Persona> = fc.oneof(
  fc.constant<Persona>({ kind: 'operator' }),
  fc.constant<Persona>({ kind: 'anon' }),
  fc.uuid().map((id): Persona => ({ kind: 'user', id })),
  fc
    .tuple(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
      fc.constantFrom('anon', 'authenticated', 'editor "x"', 'naïve'),
    )
    .map(([claims, role]): Persona => ({ kind: 'claims', claims: { ...claims, role } })),
);

test('a printed persona is parsed unchanged', () => {
  fc.assert(
    fc.property(personas, (persona) => {
      expect(parsePersona(printPersona(persona))).toEqual(
        persona.kind === 'claims'
          ? { ...persona, claims: JSON.parse(JSON.stringify(persona.claims)) }
          : persona,
      );
    }),
  );
});

test('any text is parsed as a persona or rejected with a listed error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `claims:${text}`),
      ),
      (text) => {
        try {
          parsePersona(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ConsoleError);
        }
      },
    ),
  );
});

const claims = (value: unknown) => `claims:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

test.each([
  'postgres',
  'user:1',
  `user:' or 1=1`,
  'claims:',
  'claims:e30x',
  claims([]),
  claims({ sub: 'x' }),
  claims({ role: 'none' }),
  claims({ role: 7 }),
  claims({ role: 'a\0b' }),
  claims({ role: 'anon', long: 'x'.repeat(9000) }),
])('%s is rejected', (text) => {
  expect(() => parsePersona(text)).toThrow('as: this “View as” choice is invalid');
});
