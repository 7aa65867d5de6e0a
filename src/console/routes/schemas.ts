/** The shapes of the Console API's inputs, parsed once at the edge. */
import { z } from 'zod';

export * from '../buckets/inputs.ts';
export * from '../channels/inputs.ts';
export * from '../edge-functions/inputs.ts';
export * from '../job-pages/inputs.ts';
export { schemaApply, schemaPreview } from '../schema/inputs.ts';
export * from '../tables/inputs.ts';
export * from '../users/inputs.ts';

export const signIn = z.object({ token: z.string().min(1).max(200) });

export const inboxPage = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).default(0),
  search: z.string().max(200).optional(),
});

/** In whose name: `persona/persona.ts` reads it. */
export const asPersona = z.object({ as: z.string().max(12_000).optional() });
export const personaSearch = z.object({ search: z.string().max(200).default('') });

const script = z.string().min(1).max(1_000_000);
const timeoutMs = z.number().int().min(100).max(600_000).default(30_000);
export const sqlRun = z.object({
  text: script,
  as: z.string().max(12_000).optional(),
  maxRows: z.number().int().min(1).max(10_000).default(1000),
  timeoutMs,
  /** What it would destroy was shown and agreed to. */
  confirmed: z.boolean().default(false),
});
export const sqlExplain = z.object({
  text: script,
  as: z.string().max(12_000).optional(),
  analyze: z.boolean().default(false),
  timeoutMs,
});
export const sqlCell = z.object({
  text: script,
  as: z.string().max(12_000).optional(),
  row: z.number().int().min(0).max(9_999),
  column: z.number().int().min(0).max(1663),
  timeoutMs,
});
export const savedQuery = z.object({ name: z.string().trim().min(1).max(200), text: script });
export const uuidParam = z.object({ id: z.uuid() });

const cells = z.record(z.string(), z.string().nullable());
export const why = z.object({
  schema: z.string().min(1).max(200),
  table: z.string().min(1).max(200),
  as: z.string().max(12_000).optional(),
  operation: z.enum(['select', 'insert', 'update', 'delete']),
  key: cells.default({}),
  values: cells.default({}),
  returned: z.array(z.string()).max(2000).default([]),
});

const policyName = z.string().min(1).max(63);
const policy = z.object({
  name: policyName,
  command: z.enum(['all', 'select', 'insert', 'update', 'delete']),
  permissive: z.boolean(),
  roles: z.array(z.string().min(1).max(63)).min(1).max(50),
  using: z.string().max(20_000).nullable(),
  check: z.string().max(20_000).nullable(),
});
export const policyChange = z.object({
  schema: z.string().min(1).max(200),
  table: z.string().min(1).max(200),
  change: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('create'), policy }),
    z.object({ kind: z.literal('replace'), former: policyName, policy }),
    z.object({ kind: z.literal('drop'), name: policyName }),
    z.object({ kind: z.literal('security'), enabled: z.boolean(), forced: z.boolean() }),
  ]),
});
