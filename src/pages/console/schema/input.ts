/** The parts of schema changes that several schemas of inputs use. */
import { z } from 'zod';
import { identifier } from '../core/identifier.ts';
import { typeNames } from './core/type-names.ts';

export const maxColumns = 1600;

export const name = identifier;
export const text = z
  .string()
  .max(10_000)
  .refine((value) => !value.includes('\0'), { message: 'contains a null byte' });
export const expression = text.min(1);
export const names = z.array(name).min(1).max(maxColumns);

export const type = z
  .object({
    schema: name.optional(),
    name,
    modifiers: z.array(z.number().int().min(-1000).max(10_485_760)).max(2).optional(),
    array: z.boolean().optional(),
  })
  .strict()
  .refine((value) => value.schema !== undefined || typeNames.has(value.name), {
    message: "isn't a PostgreSQL type. Add the schema if it's your own type",
  });

export const kind = <Kind extends string>(value: Kind) => ({ kind: z.literal(value) });
