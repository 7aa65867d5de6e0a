/** What the log and metrics pages ask for. */
import { z } from 'zod';
import { levels } from '../../telemetry/types.ts';

const text = z.string().max(200).optional();
const instant = z.iso
  .datetime({ offset: true })
  .transform((time) => Date.parse(time))
  .optional();

const filter = {
  service: text,
  level: z.enum(levels).optional(),
  status: z
    .string()
    .regex(/^[1-5](\d\d)?$/, 'is a status, or the first digit of a class')
    .optional(),
  path: text,
  user: text,
  requestId: text,
  search: text,
};

export const logFilter = z.object(filter);

export const logPage = z.object({
  ...filter,
  since: instant,
  until: instant,
  limit: z.coerce.number().int().min(1).max(500).default(100),
  /** Where the page before ended. */
  cursor: z
    .string()
    .regex(/^\d{1,16}:\d{1,9}$/)
    .transform((cursor) => {
      const [at = 0, skip = 0] = cursor.split(':').map(Number);
      return { at, skip };
    })
    .optional(),
});

/** Minutes; six hours are kept. */
export const metricsRange = z.object({ minutes: z.coerce.number().int().min(1).max(360).default(60) });
