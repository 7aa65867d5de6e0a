/** Shapes of what the operators' pages send. */
import { z } from 'zod';
import { roles } from '../core/roles.ts';

const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  // A name is shown in one line of a log and typed again to confirm.
  .regex(/^[^\p{C}]+$/u, 'is not a name');

export const newOperator = z.object({ name, role: z.enum(roles) });
export const newRole = z.object({ role: z.enum(roles) });
/** A code of the app, or a recovery code. */
export const code = z.object({ code: z.string().trim().min(1).max(40) });

const bytes = z
  .string()
  .max(20_000)
  .regex(/^[A-Za-z0-9_-]*$/, 'is not base64url');
const answer = z.object({
  id: bytes.min(1).max(1400),
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes.optional(),
    authenticatorData: bytes.optional(),
    signature: bytes.optional(),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
});
export const newPasskey = z.object({ name, answer });
export const passkeyProof = z.object({ answer });

const text = z.string().max(200).optional();
export const auditPage = z.object({
  operator: text,
  action: text,
  search: text,
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  before: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
