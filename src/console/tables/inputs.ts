/** The shapes of what the row grid asks. */
import { z } from 'zod';
import { filterOperatorNames } from './core/filters.ts';

const mostEdits = 5000;
const mostKeys = 5000;

const cell = z.union([
  z.object({ value: z.string().nullable() }).strict(),
  z.object({ default: z.literal(true) }).strict(),
]);
const cells = z.record(z.string(), cell);
const texts = z.record(z.string(), z.string().nullable());
const key = z.record(z.string(), z.string());
const filters = z
  .array(
    z.object({
      column: z.string(),
      operator: z.enum(filterOperatorNames),
      value: z.string().default(''),
    }),
  )
  .max(20);
const sort = z.array(z.object({ column: z.string(), ascending: z.boolean() })).max(10);
const cursor = z.array(z.string().nullable()).max(50);

/** A value that travels as JSON in an address. */
const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

const view = { filters: json(filters).default([]), sort: json(sort).default([]) };

export const page = z
  .object({
    ...view,
    limit: z.coerce.number().int().min(1).max(500).default(100),
    offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
    after: json(cursor).optional(),
    before: json(cursor).optional(),
    whole: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    message: 'after and before exclude each other',
  });
export const rowKey = z.object({ key: json(key) });
export const rowEdits = z
  .object({
    edits: z
      .array(z.object({ key, changes: cells, seen: texts.default({}) }).strict())
      .min(1)
      .max(mostEdits),
  })
  .strict();
export const insert = z.object({ values: cells }).strict();

const scope = z.union([
  z.object({ keys: z.array(key).min(1).max(mostKeys) }).strict(),
  z.object({ filters }).strict(),
]);
/** `rows`: how many it is about, as the operator was told; another number undoes it. */
export const removeRows = z.object({ scope, rows: z.number().int().min(0).optional() }).strict();
export const changeRows = removeRows.extend({ changes: cells });

export const exportView = z.object({ ...view, format: z.enum(['csv', 'json']) });

const delimiter = z.enum([',', ';', '\t', '|']).default(',');
const format = z.enum(['csv', 'json']);
export const importHead = z.object({ format, delimiter });
export const importFile = z.object({
  format,
  delimiter,
  mapping: json(z.record(z.string(), z.string())),
  /** Everything is tried and nothing kept. */
  dry: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** Under which the progress is asked for. */
  id: z.string().max(100).default(''),
});
