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
