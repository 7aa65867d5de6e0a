/**
 * Guesses the PostgreSQL type and default of a column from its TypeScript type, name and reference. In generated types,
 * uuid, timestamps and text are all `string`, so the column type must be guessed. A comment in the baseline states the
 * reason for each guess.
 */
import type { ColumnModel, ValueType } from '../../types-file/index.ts';

export interface Guess {
  readonly type: string;
  /** The reason for the guess. Undefined if only one PostgreSQL type fits the TypeScript type. */
  readonly reason?: string;
}

/**
 * Guesses the type of a column.
 * @example guessType({ name: 'created_at', type: { kind: 'string', dimensions: 0 }, … }).type // 'timestamptz'
 */
export function guessType({ name, type }: Pick<ColumnModel, 'name' | 'type'>): Guess {
  const single = guessSingle(name, type);
  if (type.dimensions === 0) return single;
  return { ...single, type: `${single.type}${'[]'.repeat(type.dimensions)}` };
}

function guessSingle(name: string, { kind, dimensions }: ValueType): Guess {
  if (kind === 'boolean') return { type: 'boolean' };
  if (kind === 'json') return { type: 'jsonb', reason: 'Json' };
  if (kind === 'number') return guessNumber(wordsOf(name));
  if (kind === 'string') return guessString(wordsOf(name), dimensions > 0);
  return guessUnknown(wordsOf(name));
}

/** Splits a name into words. `createdAt` and `created_at` have the same words. */
const wordsOf = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();

/** Matches the column names of other services' IDs, which aren't uuids. */
const foreignService =
  /(^|_)(stripe|paypal|razorpay|paystack|square|google|facebook|apple|github|discord|telegram|twitter|whatsapp|firebase|clerk|openai|external|provider|session|device|client|transaction|payment_intent|customer|price|subscription|message|tax|national|chat|request|tracking|template|tx)_id$/;

function guessString(name: string, isArray: boolean): Guess {
  if (isArray) return { type: /(^|_)ids$/.test(name) ? 'uuid' : 'text', reason: 'array of strings' };
  if (/(^|_)embeddings?$/.test(name)) return { type: 'extensions.vector(1536)', reason: 'embedding' };
  if (/^(id|uuid)$/.test(name) || /_uuid$/.test(name)) return { type: 'uuid', reason: 'string named id' };
  if (foreignService.test(name)) return { type: 'text', reason: 'string, probably an ID of another service' };
  if (/_id$/.test(name)) return { type: 'uuid', reason: 'string named *_id' };
  if (/_by$/.test(name) || name === 'assigned_to')
    return { type: 'uuid', reason: 'string named *_by, probably a user ID' };
  if (/_at$/.test(name) || name === 'timestamp') return { type: 'timestamptz', reason: 'string named *_at' };
  if (/(^|_)(date|dob|birthday)$/.test(name)) return { type: 'date', reason: 'string named *_date' };
  return { type: 'text', reason: 'string' };
}

const wholeNumbers =
  /(^|_)(count|counter|quantity|qty|position|index|order|sort_order|display_order|year|month|day|days|hours|minutes|seconds|age|level|rank|number|attempts|version|views|likes|points|xp|streak|size|limit|step|width|height|port)$/;

function guessNumber(name: string): Guess {
  if (name === 'id' || /_id$/.test(name)) return { type: 'bigint', reason: 'number named id' };
  if (wholeNumbers.test(name)) return { type: 'integer', reason: 'number whose name suggests an integer' };
  return { type: 'numeric', reason: 'number' };
}

/** Guesses the type of a column for which the generated types contain `unknown`. */
function guessUnknown(name: string): Guess {
  if (/(^|_)ip(_address)?$/.test(name)) return { type: 'inet', reason: 'unknown type, named ip' };
  if (/search|fts|tsv|vector|document/.test(name))
    return { type: 'tsvector', reason: 'unknown type, named for a search' };
  if (/interval|duration/.test(name))
    return { type: 'interval', reason: 'unknown type, named for a duration' };
  return { type: 'text', reason: 'unknown' };
}

/**
 * Returns the default of a column. Returns undefined if the generated types show that the column has none. `type` is
 * the SQL type of the column.
 */
export function guessDefault(
  { name: written, optional, nullable, generated }: ColumnModel,
  type: string,
  options: { readonly isPrimaryKey: boolean; readonly enumValues: readonly string[] },
): string | undefined {
  const name = wordsOf(written);
  if (generated || !optional) return undefined;
  if (/^(created|updated|inserted)_(at|on|date)$/.test(name)) return timeDefault(type);
  // A nullable column can be omitted from an insert even if it has no default.
  if (nullable) return undefined;
  if (type.endsWith('[]')) return `'{}'`;
  const [first] = options.enumValues;
  if (first !== undefined) return `'${first.replaceAll("'", "''")}'`;
  switch (type) {
    case 'uuid':
      return !options.isPrimaryKey && /^(user|owner|author|creator)_id$|_by$/.test(name)
        ? 'auth.uid()'
        : 'gen_random_uuid()';
    case 'boolean':
      return /(^|_)(active|enabled|available|visible)$/.test(name) ? 'true' : 'false';
    case 'integer':
    case 'numeric':
      return '0';
    case 'bigint':
      return options.isPrimaryKey ? undefined : '0';
    case 'jsonb':
      return `'{}'`;
    case 'text':
      return options.isPrimaryKey ? 'gen_random_uuid()::text' : `''`;
    case 'interval':
      return `'0'`;
    default:
      return timeDefault(type);
  }
}

function timeDefault(type: string): string | undefined {
  if (type === 'timestamptz' || type === 'timestamp') return 'now()';
  if (type === 'date') return 'current_date';
  return type === 'text' ? 'now()::text' : undefined;
}
