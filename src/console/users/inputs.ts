/** The shapes of what is asked about users. */
import { z } from 'zod';

const email = z.email();
const phone = z.string().regex(/^\+?[\d\s().-]{5,24}$/, 'is not a phone number');
const password = z.string().min(1).max(1000);
const metadata = z.record(z.string(), z.unknown());

export const userPage = z.object({
  page: z.coerce.number().int().min(1).default(1),
  search: z.string().max(200).default(''),
});
export const newUser = z
  .object({
    email: email.optional(),
    phone: phone.optional(),
    password: password.optional(),
    confirmed: z.boolean().default(true),
  })
  .refine((user) => user.email !== undefined || user.phone !== undefined, 'needs an email address or a phone')
  .refine((user) => user.email === undefined || user.password !== undefined, 'needs a password');
export const userInvite = z.object({ email });
export const userChange = z
  .object({
    email: email.optional(),
    phone: phone.optional(),
    password: password.optional(),
    user_metadata: metadata.optional(),
    app_metadata: metadata.optional(),
  })
  .strict();
export const userBan = z.object({ hours: z.number().int().min(0).max(876_000) });
export const userConfirm = z.object({ what: z.enum(['email', 'phone']) });
export const userReset = z.object({ by: z.enum(['mail', 'link']) });
