/** Validates names of PostgreSQL objects in requests. */
import { z } from 'zod';

/** PostgreSQL silently truncates names that are longer (NAMEDATALEN). */
const maxNameBytes = 63;

export const identifier = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= maxNameBytes, { message: 'is longer than 63 bytes' })
  .refine((text) => !text.includes('\0'), { message: 'contains a null byte' });
