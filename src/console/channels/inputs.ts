/** The shapes of what is asked about channels. */
import { z } from 'zod';

const as = z.string().max(12_000).optional();
const name = z.string().max(63);

export const channelToken = z.object({ as });
export const channelChecks = z.object({
  as,
  /** '1': a private channel. */
  private: z.enum(['0', '1']).default('0'),
  /** Of the change feed; '' for none, `*` for every table. */
  schema: name.default(''),
  table: name.default(''),
});

const cells = z.record(name, z.string().nullable());
const longName = z.string().max(1000);
/** Why a change of a row reaches somebody, or does not. */
export const changeVerdict = z.object({
  as,
  schema: name.min(1),
  table: name.min(1),
  action: z.enum(['INSERT', 'UPDATE', 'DELETE']),
  key: cells,
  /** Cells that were different when it happened. */
  row: cells.default({}),
  /** As the client gives it to `channel.on('postgres_changes', …)`. */
  subscription: z
    .object({
      event: z.string().max(20).default('*'),
      schema: name.default('public'),
      table: name.optional(),
      filter: z.string().max(10_000).optional(),
      select: z.array(name).max(1600).optional(),
    })
    .default({ event: '*', schema: 'public' }),
});
/** The same for a broadcast. */
export const broadcastVerdict = z.object({
  as,
  topic: longName.min(1),
  private: z.boolean().default(false),
  version: z.enum(['1.0.0', '2.0.0']).default('2.0.0'),
  message: z.discriminatedUnion('from', [
    z.object({
      from: z.literal('client'),
      private: z.boolean(),
      event: longName.default('message'),
      encoding: z.enum(['json', 'binary']).default('json'),
      sizeBytes: z.number().int().min(0).default(0),
      /** Whose send is asked about as well. */
      sender: as,
    }),
    z.object({ from: z.literal('database'), id: z.uuid() }),
  ]),
});
