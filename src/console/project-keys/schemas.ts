/** Shapes of what the keys page sends. */
import { z } from 'zod';

export const reveal = z.object({
  name: z.enum(['publishable', 'secret', 'anon', 'service_role', 'jwt_secret']),
});
export const newApiKey = z.object({
  kind: z.enum(['publishable', 'secret']),
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\p{C}]+$/u, 'is not a name'),
});
export const standby = z.object({ algorithm: z.enum(['ES256', 'RS256', 'EdDSA', 'HS256']).default('ES256') });
export const rotation = z.object({ kid: z.string().max(200).optional() });
