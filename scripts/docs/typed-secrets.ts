/** Generates the table of secrets that users type, with the limit on wrong attempts for each. */
import {
  guessesPerDay,
  type TypedSecret,
  typedSecrets,
} from '../../src/services/auth/limits/typed-secrets.ts';
import { table } from './markdown.ts';

export function typedSecretsBlock(): string {
  const rows = Object.values<TypedSecret>(typedSecrets).map((secret) => [
    secret.name,
    secret.typedAt,
    secret.account,
    budget(secret.guesses),
    secret.knownNetwork === undefined ? '' : budget(secret.knownNetwork),
    secret.perToken === undefined ? '' : String(secret.perToken),
    String(guessesPerDay(secret)),
    secret.oneIn === undefined ? 'depends on the password' : chance(guessesPerDay(secret) / secret.oneIn),
  ]);
  const head = [
    'Secret',
    'Entered in',
    'Counted per',
    'Wrong guesses',
    'Additional guesses from home networks',
    'Attempts per token',
    'Attempts per day',
    'Probability of success per day',
  ];
  return table(head, rows);
}

const budget = ({ size, refillMs }: TypedSecret['guesses']): string =>
  `${size}, then ${refillMs === 3_600_000 ? 'one per hour' : `one every ${refillMs / 60_000} minutes`}`;

const chance = (probability: number): string =>
  probability < 1e-9 ? 'negligible' : `1 in ${Math.round(1 / probability).toLocaleString('en-US')}`;
