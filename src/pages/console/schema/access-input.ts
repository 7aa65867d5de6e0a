/** The schemas of changes of roles and privileges. */
import { z } from 'zod';
import { kind, name, names } from './input.ts';

const ofObject = z.object({ schema: name, name }).strict();
const target = z.discriminatedUnion('type', [
  ofObject.extend({ type: z.literal('table') }),
  ofObject.extend({ type: z.literal('sequence') }),
  ofObject.extend({ type: z.literal('function'), arguments: z.array(ofObject).max(100) }),
  ofObject.extend({ type: z.literal('procedure'), arguments: z.array(ofObject).max(100) }),
  z.object({ type: z.literal('schema'), name }).strict(),
]);

const privileges = z
  .array(
    z.enum([
      'select',
      'insert',
      'update',
      'delete',
      'truncate',
      'references',
      'trigger',
      'maintain',
      'usage',
      'create',
      'execute',
    ]),
  )
  .min(1)
  .max(11);

const attributes = z
  .object({
    login: z.boolean().optional(),
    inherit: z.boolean().optional(),
    createdb: z.boolean().optional(),
    createrole: z.boolean().optional(),
    bypassrls: z.boolean().optional(),
    connectionLimit: z.number().int().min(-1).max(10_000).optional(),
  })
  .strict();

const privilegesOn = {
  target,
  privileges,
  columns: names.optional(),
  role: name,
  grantOption: z.literal(true).optional(),
};
const ofRole = { role: name };
const membership = { role: name, member: name };

export const accessInputs = [
  z.object({ ...kind('grant'), ...privilegesOn }).strict(),
  z.object({ ...kind('revoke'), ...privilegesOn }).strict(),
  z
    .object({
      ...kind('default_privileges'),
      action: z.enum(['grant', 'revoke']),
      owner: name,
      schema: name.optional(),
      objects: z.enum(['tables', 'sequences', 'functions', 'types', 'schemas']),
      privileges,
      role: name,
    })
    .strict(),
  z.object({ ...kind('create_role'), ...ofRole, attributes }).strict(),
  z.object({ ...kind('alter_role'), ...ofRole, attributes }).strict(),
  z.object({ ...kind('drop_role'), ...ofRole }).strict(),
  z.object({ ...kind('grant_role'), ...membership }).strict(),
  z.object({ ...kind('revoke_role'), ...membership }).strict(),
] as const;
