/** The secrets that people type and their limits, from the table that the service counts by. */
import { guessesPerDay, type TypedSecret, typedSecrets } from '../../src/auth/core/typed-secrets.ts';
import { table } from './markdown.ts';

export function typedSecretsBlock(): string {
  const rows = Object.values<TypedSecret>(typedSecrets).map((secret) => [
    secret.name,
    secret.typedAt,
    secret.account,
    budget(secret.guesses),
    secret.atHome === undefined ? '' : budget(secret.atHome),
    secret.perToken === undefined ? '' : String(secret.perToken),
    String(guessesPerDay(secret)),
    secret.oneIn === undefined ? 'depends on the password' : chance(guessesPerDay(secret) / secret.oneIn),
  ]);
  const head = [
    'secret',
    'typed at',
    'counted per',
    'wrong guesses',
    'more at home',
    'per token',
    'per day',
    'found per day',
  ];
  return table(head, rows);
}

const budget = ({ size, refillMs }: TypedSecret['guesses']): string =>
  `${size}, then one per ${refillMs >= 3_600_000 ? `${refillMs / 3_600_000} h` : `${refillMs / 60_000} min`}`;

const chance = (probability: number): string =>
  probability < 1e-9 ? 'never' : `1 in ${Math.round(1 / probability).toLocaleString('en-US')}`;
