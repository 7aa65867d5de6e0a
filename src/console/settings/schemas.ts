/** Shapes of what the settings page sends. */
import { z } from 'zod';

const value = z.union([
  z.string().max(10_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(2000)).max(200),
]);

export const changes = z.object({
  changes: z
    .array(
      z.object({
        file: z.enum(['config.toml', 'plinth.toml']),
        path: z.array(z.string().min(1).max(100)).min(1).max(8),
        value: value.nullable(),
      }),
    )
    .min(1)
    .max(200),
  stamps: z.object({ 'config.toml': z.string(), 'plinth.toml': z.string() }),
});
export const testMail = z.object({ to: z.email(), template: z.string().min(1).max(100) });
export const testText = z.object({
  to: z.string().regex(/^\+?[1-9][0-9 ]{1,18}$/, 'is no phone number with its country code'),
});
