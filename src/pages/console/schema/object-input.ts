/** The schemas of changes of types, sequences, publications, event triggers and foreign servers. */
import { z } from 'zod';
import { expression, kind, name, text, type } from './input.ts';

const ofObject = z.object({ schema: name, name }).strict();
const attribute = z.object({ name, type }).strict();

/** A `bigint` in decimal notation. */
const integer = z
  .string()
  .refine((digits) => /^-?\d{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits), {
    message: 'must be an integer of at most 64 bits',
  })
  .optional();
const sequenceOptions = z
  .object({ increment: integer, min: integer, max: integer, cycle: z.boolean().optional(), restart: integer })
  .strict();

const tables = z.array(ofObject).max(500);
const operations = z
  .array(z.enum(['insert', 'update', 'delete', 'truncate']))
  .min(1)
  .max(4);
const ofPublication = z.object({ publication: name }).strict();

const foreignOptions = z.record(name, text).refine((options) => Object.keys(options).length <= 50, {
  message: 'has more than 50 options',
});

export const objectInputs = [
  ofObject.extend({
    ...kind('create_domain'),
    type,
    notNull: z.boolean(),
    default: expression.optional(),
    check: expression.optional(),
  }),
  ofObject.extend({
    ...kind('alter_domain'),
    notNull: z.boolean().optional(),
    default: expression.nullable().optional(),
  }),
  ofObject.extend({ ...kind('add_domain_check'), constraint: name.optional(), check: expression }),
  ofObject.extend({ ...kind('drop_domain_check'), constraint: name }),
  ofObject.extend({ ...kind('rename_domain'), to: name }),
  ofObject.extend(kind('drop_domain')),
  ofObject.extend({ ...kind('create_composite'), attributes: z.array(attribute).min(1).max(500) }),
  ofObject.extend({ ...kind('add_attribute'), attribute }),
  ofObject.extend({ ...kind('rename_composite'), to: name }),
  ofObject.extend(kind('drop_composite')),
  ofObject.extend({
    ...kind('create_sequence'),
    type: z.enum(['smallint', 'integer', 'bigint']),
    options: sequenceOptions,
  }),
  ofObject.extend({ ...kind('alter_sequence'), options: sequenceOptions }),
  ofObject.extend(kind('drop_sequence')),
  ofPublication.extend({ ...kind('create_publication'), tables, operations }),
  ofPublication.extend({ ...kind('publish_tables'), tables: tables.min(1) }),
  ofPublication.extend({ ...kind('unpublish_tables'), tables: tables.min(1) }),
  ofPublication.extend({ ...kind('alter_publication'), operations }),
  ofPublication.extend(kind('drop_publication')),
  z.object({ ...kind('set_event_trigger'), trigger: name, enabled: z.boolean() }).strict(),
  z.object({ ...kind('drop_event_trigger'), trigger: name }).strict(),
  z.object({ ...kind('create_server'), server: name, wrapper: name, options: foreignOptions }).strict(),
  z.object({ ...kind('drop_server'), server: name }).strict(),
  z.object({ ...kind('create_user_mapping'), server: name, role: name, options: foreignOptions }).strict(),
  z.object({ ...kind('drop_user_mapping'), server: name, role: name }).strict(),
] as const;
